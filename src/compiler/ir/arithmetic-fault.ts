// What a program does wrong only when it runs: integer division that has no result.
import { fail } from "./diagnostic.ts";

/** An integer was divided by zero (or the least integer by -1); every back end ends so. */
export function dividedByZero(where = "the program"): never {
  return fail("RS6105", `${where} divides an integer by zero`, {
    expected: "a divisor that is not 0",
    got: "0",
    because: "integer division has no value for it, and processors stop there",
    hint: "guard the divisor (maximum(%y, 1)), or compute in floats",
  });
}
