// Position of the least element.  TVM: src/relay/op/tensor/reduce.cc (argmin)
import { defineArgReduce } from "./reduce-op.ts";

export const argmin = defineArgReduce({
  name: "argmin",
  kind: "min",
  doc: "Position of the least element along the axes, counted in row-major order over them; the first of equal ones, or the last with select_last_index.",
});
