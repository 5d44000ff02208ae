// How much an importer writes out. A few bytes of a file can ask for any number of calls or elements: what is
// beyond these is refused before the work is done.
import { mostElements } from "../limits.ts";
import { refuse, type ImportNode } from "./import-node.ts";

/** Refuses more than `most` of `what`, with `hint` as the way round. */
export function within(
  n: ImportNode,
  count: number,
  { most, what, hint }: { readonly most: number; readonly what: string; readonly hint: string },
): number {
  return count <= most
    ? count
    : refuse(n, `too many ${what}`, { expected: `at most ${most}`, got: String(count), hint });
}

/** Refuses a constant of too many elements. */
export const writable = (n: ImportNode, count: number): number =>
  within(n, count, {
    most: mostElements,
    what: "elements of a constant that is worked out when importing",
    hint: "give the tensor to the model as an input instead, or make it smaller",
  });
