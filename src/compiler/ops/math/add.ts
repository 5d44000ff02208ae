// Adds two tensors element by element, broadcast.  TVM: src/relay/op/tensor/binary.cc (add)
import { add as addExpr } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const add = defineBinary({
  name: "add",
  doc: "Adds two tensors element by element; shapes are broadcast, dtypes must be equal.",
  examples: [
    { name: "same shapes", args: ["Tensor[(2, 3), float32]", "Tensor[(2, 3), float32]"] },
    { name: "row broadcast", args: ["Tensor[(2, 3), float32]", "Tensor[(3), float32]"] },
    { name: "both broadcast", args: ["Tensor[(2, 1, 4), int32]", "Tensor[(3, 1), int32]"] },
    { name: "scalar", args: ["Tensor[(4), float32]", "float32"] },
  ],
  value: (x, y) => addExpr(x, y),
});
