// Whether both elements are true, broadcast.  TVM: src/relay/op/tensor/binary.cc (logical_and)
import { and } from "../../tir/build.ts";
import { defineBinary } from "./binary.ts";

export const logicalAnd = defineBinary({
  name: "logical_and",
  accepts: "bool",
  doc: "Whether both elements are true; shapes are broadcast, dtypes must be equal.",
  value: (x, y) => and(x, y),
});
