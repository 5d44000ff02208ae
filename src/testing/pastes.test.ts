// What people paste (pastes/): prints of later versions, names of other frameworks, lowered modules, other
// languages. Each compiles, or one message says what it is and what to do.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultOptions } from "../compiler/options.ts";
import { compileText } from "../node/engine.ts";

const folder = join(import.meta.dirname, "pastes");

/** Code, the text that it points at, and what the message says; nothing for a text that just compiles. */
const told: Readonly<Record<string, readonly (readonly [code: string, at: string, message: string])[]>> = {
  "07_virtual_device": [
    ["info RS1026", "virtual_device", "`virtual_device` is of TVM 0.10."],
    ["info RS1026", "virtual_device", "The attribute `virtual_device` of on_device is of TVM 0.10."],
    ["info RS1026", "constrain_result", "The attribute `constrain_result` of on_device is of TVM 0.10."],
  ],
  "08_se_scope": [
    ["info RS1026", "param_se_scopes", "`param_se_scopes` is of TVM 0.9."],
    ["info RS1026", "result_se_scope", "`result_se_scope` is of TVM 0.9."],
    ["info RS1026", "se_scope", "The attribute `se_scope` of on_device is of TVM 0.9."],
    ["info RS1026", "constrain_result", "The attribute `constrain_result` of on_device is of TVM 0.10."],
  ],
  "09_call_lowered": [
    ["error RS1008", "call_lowered(", "This is Relay whose primitive functions were lowered already."],
  ],
  "11_cmsis": [
    [
      "error RS4111",
      "def @tvmgen_default_cmsis_nn_main_0",
      "there is no code generator relay.ext.cmsis-nn for the external function tvmgen_default_cmsis_nn_main_0",
    ],
  ],
  "13_annot": [
    [
      "error RS1020",
      "annotation.cast_hint",
      "`annotation.cast_hint` is an operator of TVM 0.8 that is not here.",
    ],
  ],
  "16_old_header": [["warning RS1007", "v0.0.4", 'Text format version "0.0.4" is not known.']],
  "17_old_version": [["warning RS1007", '#[version = "0.0.4"]', 'Text format version "0.0.4" is not known.']],
  "20_tir": [["error RS1008", "= primfn(", "This is TIR, not Relay."]],
  "21_relax": [
    ["error RS1008", "@R.function", "This is Relax (TVMScript of TVM 0.12 and later), not Relay."],
  ],
  "26_later_ops": [["error RS1020", "stft", "`stft` is an operator of TVM 0.10: TVM 0.8 does not have it."]],
  "27_moved_attrs": [
    ["info RS1026", "roi", "The attribute `roi` of image.resize2d is of TVM 0.9."],
    ["info RS1026", "allowzero", "The attribute `allowzero` of reshape is of TVM 0.9."],
  ],
  "29_vm": [
    [
      "error RS1008",
      "memory.alloc_storage(",
      "This is Relay of TVM's virtual machine, with its memory already planned.",
    ],
  ],
};

const messages = async (text: string) => {
  const { compilation } = await compileText(text, defaultOptions, "paste");
  return {
    done: compilation,
    found: compilation.diagnostics.map(({ code, severity, span, message }) => [
      `${severity} ${code}`,
      span === null ? "" : text.slice(span.start, span.end).split("(%")[0],
      message,
    ]),
  };
};

describe("pastes", () => {
  it.each(readdirSync(folder).map((file) => file.replace(".relay", "")))("%s", async (name) => {
    const { done, found } = await messages(readFileSync(join(folder, `${name}.relay`), "utf8"));
    const want = told[name] ?? [];
    expect(found).toEqual(want);
    const fails = want.some(([code]) => code.startsWith("error"));
    expect(done.reached === "wasm").toBe(!fails);
    // One message says what it is, with a way on.
    if (fails) {
      expect(found).toHaveLength(1);
      expect(done.diagnostics[0]?.because).not.toBeNull();
      expect(done.diagnostics[0]?.hint).not.toBeNull();
    }
  });
});

const main = (params: string, body: string): string => `def @main(${params}) {\n  ${body}\n}`;
const image = "%x: Tensor[(1, 2, 4, 4), float32]";

describe("attributes of later versions", () => {
  it.each([
    [image, "image.resize2d(%x, size=[2, 2], roi=[0f, 0f, 1f, 1f], extrapolation_value=1f)"],
    ["%x: Tensor[(2, 3), float32]", "reshape(%x, newshape=[3, 2], allowzero=1)"],
    [
      "%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]",
      "nn.dense(%x, %w, units=4, meta_schedule_original_shape=[])",
    ],
    [
      "%x: Tensor[(2), int8]",
      'qnn.requantize(%x, 0.5f, 0, 0.25f, 0, rounding="None", compute_dtype="int64", out_dtype="int8")',
    ],
    ["%x: Tensor[(2), int8]", 'qnn.dequantize(%x, 0.5f, 0, out_dtype="float32")'],
    [
      "%x: Tensor[(2), int8], %y: Tensor[(2), int8]",
      "qnn.add(%x, %y, 0.5f, 0, 0.5f, 0, 1f, 0, lhs_axis=0, rhs_axis=0)",
    ],
    [
      `${image}, %g: Tensor[(1, 2, 3, 3), float32]`,
      'image.grid_sample(%x, %g, padding_mode="zeros", align_corners=True)',
    ],
    [
      "%x: Tensor[(2), float32]",
      "on_device(%x, virtual_device=VirtualDevice(device_type=1, target=Target(id=a1, kind='llvm', keys={'cpu'})), constrain_body=True)",
    ],
    [
      "%x {virtual_device=VirtualDevice(device_type=1)}: Tensor[(2), float32], virtual_device=VirtualDevice(device_type=1)",
      "let %y {virtual_device=VirtualDevice(device_type=1)}: Tensor[(2), float32] = exp(%x);\n  %y",
    ],
  ])("%s: %s is read", async (params, body) => {
    const { done, found } = await messages(main(params, body));
    expect(found.filter(([code]) => code !== "info RS1026")).toEqual([]);
    expect(done.reached).toBe("wasm");
  });

  it.each([
    [
      image,
      'image.resize2d(%x, size=[2, 2], roi=[0f, 0f, 1f, 1f], coordinate_transformation_mode="tf_crop_and_resize")',
      "roi",
    ],
    ["%x: Tensor[(2, 0), float32]", "reshape(%x, newshape=[0, 2], allowzero=1)", "allowzero"],
    [
      "%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]",
      "nn.dense(%x, %w, units=4, meta_schedule_original_shape=[4, 3])",
      "meta_schedule_original_shape",
    ],
    [
      "%x: Tensor[(2), int8]",
      'qnn.requantize(%x, 0.5f, 0, 0.25f, 0, compute_dtype="float32", out_dtype="int8")',
      "compute_dtype",
    ],
    ["%x: Tensor[(2), int8]", 'qnn.dequantize(%x, 0.5f, 0, out_dtype="float16")', "out_dtype"],
    [
      `${image}, %g: Tensor[(1, 2, 3, 3), float32]`,
      'image.grid_sample(%x, %g, padding_mode="border")',
      "padding_mode",
    ],
    [
      `${image}, %g: Tensor[(1, 2, 3, 3), float32]`,
      "image.grid_sample(%x, %g, align_corners=False)",
      "align_corners",
    ],
  ])("%s: %s is refused, since it changes the result", async (params, body, attribute) => {
    const { found } = await messages(main(params, body));
    expect(found).toEqual([["error RS1022", attribute, expect.stringContaining("added it")]]);
  });
});

describe("other languages", () => {
  it.each([
    ["@T.prim_func\ndef main(a: T.handle) -> None:\n  pass", "This is TIR (TVMScript), not Relay."],
    [
      "import tvm\nfrom tvm import relay\nx = relay.var('x')",
      "This is a Python program, not what it prints.",
    ],
    ['{"nodes": [{"op": "null", "name": "x"}]}', "This is the JSON of the graph executor, not Relay."],
    ["from tvm.script import ir as I\n@I.ir_module\nclass Module: pass", "This is TVMScript, not Relay."],
  ])("%s", async (text, message) => {
    expect((await messages(text)).found).toEqual([["error RS1008", expect.any(String), message]]);
  });

  it("are not looked for in comments, nor where the text can be read", async () => {
    const { found } = await messages(`// = primfn(\n${main("%x: float32", "exp(%y)")} /* import tvm */`);
    expect(found.map(([code]) => code)).toEqual(["error RS1010"]);
    expect((await messages(`// import tvm\n${main("%x: float32", "exp(%x)")}`)).found).toEqual([]);
  });
});
