// Position of the greatest element.  TVM: src/relay/op/tensor/reduce.cc (argmax)
import { defineArgReduce } from "./reduce-op.ts";

export const argmax = defineArgReduce({
  name: "argmax",
  kind: "max",
  doc: "Position of the greatest element along the axes, counted in row-major order over them; the first of equal ones, or the last with select_last_index.",
});
