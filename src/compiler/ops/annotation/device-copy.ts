// A copy from one device's memory to another's.  TVM: src/relay/op/memory/device_copy.cc
import { int } from "../../ir/attrs.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";

export const deviceCopy = defineOp({
  name: "device_copy",
  inputs: ["data"],
  attrs: {
    src_dev_type: int({ default: 0, doc: "DLDeviceType that data lies on." }),
    dst_dev_type: int({ default: 0, doc: "DLDeviceType that the result lies on." }),
  },
  attrsKey: "relay.attrs.DeviceCopyAttrs",
  pattern: "opaque",
  type: ({ data }, _, t) => tensorArg(asker(t, "device_copy"), "data", data),
  compute: ({ data }, _, cx) => elementwise(data, "T_identity", cx.origin, (x) => x),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Copies a tensor from one device to another.",
  examples: [
    { name: "cpu to opencl", args: ["Tensor[(2, 3), float32]"], attrs: { src_dev_type: 1, dst_dev_type: 4 } },
  ],
});
