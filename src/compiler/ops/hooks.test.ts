// What operators become in passes: at inference, in their canonical form, for the schedules there are, and
// when dynamic arguments are constants.
import { describe, expect, test } from "vitest";
import { withJit } from "../../testing/harness/relay-run.ts";
import { typedModule } from "../../testing/harness/relay-text.ts";
import type { Pass } from "../ir/pass.ts";
import type { IRModule } from "../relay/module.ts";
import type { RelayContext } from "../relay/op.ts";
import { canonicalizeOps } from "../relay/passes/canonicalize-ops.ts";
import { dynamicToStatic } from "../relay/passes/dynamic-to-static.ts";
import { legalize } from "../relay/passes/legalize.ts";
import { simplifyInference } from "../relay/passes/simplify-inference.ts";
import { printModule } from "../relay/text/print.ts";
import { ops } from "./index.ts";

/** The body's lines after `pass`, types left out. */
function after(pass: Pass<IRModule, RelayContext>, params: string, body: string): string[] {
  const { module, cx } = typedModule(`def @main(${params}) { ${body} }`);
  const { text } = printModule(pass.run(module, withJit(cx)), { ops, showMeta: false, header: false });
  return text
    .split("\n")
    .filter((line) => line.startsWith("  "))
    .map((line) =>
      line
        .trim()
        .replaceAll(/ ?\/\*.*?\*\//g, "")
        .replaceAll(";", ""),
    );
}

const vectors =
  "%g: Tensor[(3), float32], %b: Tensor[(3), float32], %m: Tensor[(3), float32], %v: Tensor[(3), float32]";

describe("at inference", () => {
  test("nn.batch_norm is a multiplication and an addition", () => {
    expect(
      after(
        simplifyInference,
        `%x: Tensor[(1, 3, 4, 4), float32], ${vectors}`,
        "nn.batch_norm(%x, %g, %b, %m, %v, epsilon=0.001f).0",
      ),
    ).toEqual([
      "%0 = add(%v, 0.001f)",
      "%1 = sqrt(%0)",
      "%2 = divide(1f, %1)",
      "%3 = multiply(%2, %g)",
      "%4 = expand_dims(%3, axis=1, num_newaxis=2)",
      "%5 = negative(%m)",
      "%6 = multiply(%5, %3)",
      "%7 = add(%6, %b)",
      "%8 = multiply(%x, %4)",
      "%9 = expand_dims(%7, axis=1, num_newaxis=2)",
      "add(%8, %9)",
    ]);
    const last = after(
      simplifyInference,
      `%x: Tensor[(1, 4, 3), float32], ${vectors}`,
      "nn.batch_norm(%x, %g, %b, %m, %v, axis=-1, center=False, scale=False).0",
    );
    expect(last.join("\n")).not.toMatch(/%g|%b\b|expand_dims/);
  });

  test("nn.dropout is its argument", () => {
    expect(
      after(simplifyInference, "%x: Tensor[(2, 3), float32]", "%0 = nn.dropout(%x, rate=0.1f); exp(%0.0)"),
    ).toEqual(["exp(%x)"]);
  });

  test("nn.layer_norm, nn.instance_norm, nn.group_norm and nn.l2_normalize are what they mean", () => {
    const params =
      "%x: Tensor[(2, 4, 6), float32], %g: Tensor[(6), float32], %b: Tensor[(6), float32], %h: Tensor[(4), float32], %c: Tensor[(4), float32]";
    expect(after(simplifyInference, params, "nn.layer_norm(%x, %g, %b)")).toEqual([
      "%0 = mean(%x, axis=[-1], keepdims=True)",
      "%1 = variance(%x, %0, axis=[-1], keepdims=True)",
      "%2 = add(%1, 1e-05f)",
      "%3 = subtract(%x, %0)",
      "%4 = sqrt(%2)",
      "%5 = divide(%3, %4)",
      "%6 = multiply(%5, %g)",
      "add(%6, %b)",
    ]);
    expect(after(simplifyInference, params, "nn.instance_norm(%x, %h, %c, center=False)").slice(-3)).toEqual([
      "%5 = divide(%3, %4)",
      "%6 = expand_dims(%h, axis=1)",
      "multiply(%5, %6)",
    ]);
    expect(
      after(simplifyInference, params, "nn.group_norm(%x, %h, %c, num_groups=2, scale=False, center=False)"),
    ).toEqual([
      "%0 = reshape(%x, newshape=[2, 2, 2, 6])",
      "%1 = mean(%0, axis=[2, 3], keepdims=True)",
      "%2 = variance(%0, %1, axis=[2, 3], keepdims=True)",
      "%3 = add(%2, 1e-05f)",
      "%4 = subtract(%0, %1)",
      "%5 = sqrt(%3)",
      "%6 = divide(%4, %5)",
      "reshape(%6, newshape=[2, 4, 6])",
    ]);
    expect(after(simplifyInference, params, "nn.l2_normalize(%x, eps=0.5f, axis=[1])")).toEqual([
      "%0 = multiply(%x, %x)",
      "%1 = sum(%0, axis=[1], keepdims=True)",
      "%2 = maximum(%1, 0.5f)",
      "%3 = sqrt(%2)",
      "divide(%x, %3)",
    ]);
  });
});

test("nn.bias_add is an addition of the vector with axes after it", () => {
  const params = "%x: Tensor[(1, 3, 4, 4), float32], %b: Tensor[(3), float32], %c: Tensor[(4), float32]";
  expect(after(canonicalizeOps, params, "nn.bias_add(%x, %b)")).toEqual([
    "%0 = expand_dims(%b, axis=1, num_newaxis=2)",
    "add(%x, %0)",
  ]);
  expect(after(canonicalizeOps, params, "nn.bias_add(%x, %c, axis=-1)")).toEqual(["add(%x, %c)"]);
});

test("transposed convolutions are turned to the layouts that have schedules", () => {
  const plain = after(
    legalize,
    "%x: Tensor[(1, 3, 5, 5), float32], %w: Tensor[(4, 3, 2, 2), float32]",
    "nn.conv2d_transpose(%x, %w, channels=4, kernel_size=[2, 2])",
  );
  expect(plain).toEqual([
    "%0 = transpose(%w, axes=[1, 0, 2, 3])",
    'nn.conv2d_transpose(%x, %0, channels=4, kernel_size=[2, 2], kernel_layout="IOHW")',
  ]);
  const last = after(
    legalize,
    "%x: Tensor[(1, 5, 5, 3), float32], %w: Tensor[(2, 2, 4, 3), float32]",
    'nn.conv2d_transpose(%x, %w, channels=4, kernel_size=[2, 2], data_layout="NHWC", kernel_layout="HWOI")',
  );
  expect(last).toEqual([
    "%0 = transpose(%x, axes=[0, 3, 1, 2])",
    "%1 = transpose(%w, axes=[3, 2, 0, 1])",
    '%2 = nn.conv2d_transpose(%0, %1, channels=4, kernel_size=[2, 2], kernel_layout="IOHW")',
    "transpose(%2, axes=[0, 2, 3, 1])",
  ]);
  const turned = after(
    legalize,
    "%x: Tensor[(1, 5, 4, 3), float32], %w: Tensor[(3, 4, 2, 2), float32]",
    'nn.conv2d_transpose(%x, %w, channels=4, kernel_size=[2, 2], data_layout="NHWC", kernel_layout="IOHW", out_layout="NCHW")',
  );
  expect(turned).toEqual([
    "%0 = transpose(%x, axes=[0, 3, 1, 2])",
    'nn.conv2d_transpose(%0, %w, channels=4, kernel_size=[2, 2], kernel_layout="IOHW")',
  ]);
  const done = 'nn.conv2d_transpose(%x, %w, channels=4, kernel_size=[2, 2], kernel_layout="IOHW")';
  expect(
    after(legalize, "%x: Tensor[(1, 3, 5, 5), float32], %w: Tensor[(3, 4, 2, 2), float32]", done),
  ).toEqual([done]);
});

describe("with constants in place of dynamic arguments", () => {
  const x = "%x: Tensor[(2, 6), float32], %y: Tensor[(3, 4), float32], %i: Tensor[(1, 2, 3, 3), float32]";
  const shape = 'shape_of(%y, dtype="int64")';
  const two = 'shape_of(zeros(shape=[2], dtype="float32"), dtype="int64")';
  test.each([
    [`dyn.reshape(%x, ${shape}, newshape=[])`, "reshape(%x, newshape=[3, 4])"],
    [`dyn.tile(%x, ${shape}, reps=[])`, "tile(%x, reps=[3, 4])"],
    [`dyn.broadcast_to(1f, ${shape})`, 'broadcast_to(1f, shape=[3, 4], dtype="")'],
    [`dyn.zeros(${shape}, shape=None, dtype="float32")`, 'zeros(shape=[3, 4], dtype="float32")'],
    [`dyn.ones(${shape}, shape=None, dtype="int32")`, 'ones(shape=[3, 4], dtype="int32")'],
    [`dyn.full(2f, ${shape}, shape=None, dtype="float32")`, 'full(2f, shape=[3, 4], dtype="float32")'],
    [`dyn.image.resize2d(%i, ${shape})`, "image.resize2d(%i, size=[3, 4])"],
    [
      `dyn.strided_slice(%x, ${two}, ${two}, ${two}, begin=None, end=None, strides=None, axes=None)`,
      "strided_slice(%x, begin=[2], end=[2], strides=[2], axes=None)",
    ],
    ["dyn.nn.upsampling(%i, 2f, 3f, scale_h=1f, scale_w=1f)", "nn.upsampling(%i, scale_h=2f, scale_w=3f)"],
    [
      'dyn.one_hot(cast(%x, dtype="int32"), 1f, 0f, 5, dtype="float32")',
      'one_hot(%0, 1f, 0f, depth=5, dtype="float32")',
    ],
    [
      'dyn.topk(%x, 3, k=None, ret_type="values", dtype="int32")',
      'topk(%x, k=3, ret_type="values", dtype="int32")',
    ],
  ])("%s", (body, wanted) => {
    const got = after(dynamicToStatic, x, body).at(-1)!;
    // zeros and the like of constants fold away entirely
    if (/^meta|^%/.test(got)) expect(wanted).toMatch(/^(zeros|ones|full|broadcast_to)/);
    else expect(got).toBe(wanted);
  });
});
