// Every operator of TVM 0.8 is here, or is refused by name with the reason and what to write instead.
import { describe, expect, it } from "vitest";
import { ops } from "../compiler/ops/index.ts";
import { whyWaiting } from "../compiler/relay/text/waiting-operators.ts";
import { compileText } from "../node/engine.ts";
import { defaultOptions } from "../compiler/options.ts";
import facts from "./harness/ops-facts.json" with { type: "json" };

/** Operators without facts of their own: dialects and marks of parts of TVM that are left out. */
const others = [
  "annotation.bitpack_start",
  "annotation.bitpack_end",
  "annotation.cast_hint",
  "annotation.checkpoint",
  "annotation.with_funcid",
  "auto_scheduler_layout_transform",
  "call_lowered",
  "contrib.ethosu.conv2d",
  "debug",
  "memory.alloc_storage",
  "memory.alloc_tensor",
  "memory.kill",
  "parser.MetaRef",
  "vm.invoke_tvm_op",
  "vm.reshape_tensor",
  "vm.shape_func",
  "vm.shape_of",
];

describe("operators of TVM 0.8", () => {
  it("are here or have a reason", () => {
    expect(
      [...Object.keys(facts), ...others].filter((name) => !ops.has(name) && whyWaiting(name) === null),
    ).toEqual([]);
  });

  it("have no reason for a name that TVM has not", () => {
    for (const name of ["nn.conv3", "memory", "debugger", "vmx", "nn.bitpacked"])
      expect(whyWaiting(name)).toBeNull();
  });

  it("are refused at their name", async () => {
    const { diagnostics } = await compileText(
      "def @main(%x: Tensor[(2), float32]) {\n  vm.shape_of(%x)\n}",
      defaultOptions,
      "m",
    );
    expect(diagnostics).toMatchObject([
      {
        code: "RS1020",
        message: "`vm.shape_of` is an operator of TVM 0.8 that is not here.",
        span: { start: 40, end: 51 },
        because: "it is written by the passes of the Relay VM, which is left out here",
      },
    ]);
  });
});
