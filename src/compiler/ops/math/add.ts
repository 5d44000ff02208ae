// Sum of two tensors, broadcast.  TVM: src/relay/op/tensor/binary.cc (add)
import { add as addExpr } from "../../tir/build.ts";
import { binaryExamples, defineBinary } from "./binary.ts";

export const add = defineBinary({
  name: "add", doc: "Adds two tensors element by element; shapes are broadcast, dtypes must be equal.",
  examples: [...binaryExamples, { name: "scalar", args: ["Tensor[(4), float32]", "float32"] }], value: addExpr,
});
