// A value that is to be computed on a device.  TVM: src/relay/op/annotation/annotation.cc (on_device)
import { flag, int } from "../../ir/attrs.ts";
import { defineOp } from "../define.ts";

export const onDevice = defineOp({
  name: "on_device",
  inputs: ["data"],
  attrs: {
    device_type: int({ default: 0, doc: "DLDeviceType: 1 is the CPU, 4 OpenCL." }),
    is_fixed: flag({ default: false, doc: "The result of the annotation lies on the device too." }),
  },
  attrsKey: "relay.attrs.OnDeviceAttrs",
  pattern: "opaque",
  type: ({ data }) => (data.kind === "incomplete-type" ? null : data),
  flags: { nonComputational: true },
  doc: "Asks PlanDevices to compute the argument on the given device; removed by it.",
  examples: [{ name: "cpu", args: ["Tensor[(2, 3), float32]"], attrs: { device_type: 1 } }],
});
