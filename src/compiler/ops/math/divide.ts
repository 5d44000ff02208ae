// Divides the first tensor by the second element by element, integers toward zero, broadcast.
// TVM: src/relay/op/tensor/binary.cc (divide)
import { div } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const divide = defineBinary({
  name: "divide",
  doc: "Divides the first tensor by the second element by element, integers toward zero; shapes are broadcast, dtypes must be equal.",
  value: (x, y) => div(x, y),
});
