// Layers that are neither convolutions nor pools, against plain loops.
import { describe, expect, test } from "vitest";
import {
  at,
  build,
  disagreement,
  opNamed,
  runCall,
  total,
  type Nd,
} from "../../../testing/harness/op-runner.ts";

const examplesOf = (name: string) =>
  opNamed(name).examples.map((example) => [example.name, example] as const);

function alongAxis(x: Nd, axis: number, index: readonly number[]): number[] {
  return Array.from({ length: x.shape[axis]! }, (_, k) =>
    at(x, ...index.map((i, d) => (d === axis ? k : i))),
  );
}

describe.each(["nn.softmax", "nn.log_softmax", "nn.fast_softmax"])("%s", (name) => {
  test.each(examplesOf(name))("%s", (_, example) => {
    const { ins, outs } = runCall(name, example);
    const x = ins[0]!;
    const given = Number(example.attrs?.["axis"] ?? -1);
    const axis = given < 0 ? given + x.shape.length : given;
    const wanted = build(x.shape, (index) => {
      const share =
        Math.exp(at(x, ...index)) / alongAxis(x, axis, index).reduce((a, b) => a + Math.exp(b), 0);
      return name === "nn.log_softmax" ? Math.log(share) : share;
    });
    expect(disagreement(outs[0]!, wanted)).toBeNull();
  });

  test("large inputs do not overflow", () => {
    const example = { name: "", args: ["Tensor[(1, 3), float32]"] };
    const { outs } = runCall(name, example, { values: new Map([[0, [1000, 999, -1000]]]) });
    const p = 1 / (1 + Math.exp(-1));
    const wanted =
      name === "nn.log_softmax" ? [Math.log(p), Math.log(1 - p), -2000 + Math.log(p)] : [p, 1 - p, 0];
    expect(disagreement(outs[0]!, { shape: [1, 3], values: wanted })).toBeNull();
  });
});

test.each(examplesOf("nn.dense"))("nn.dense: %s", (_, example) => {
  const {
    ins: [x, w],
    outs,
  } = runCall("nn.dense", example);
  expect(
    disagreement(
      outs[0]!,
      build([x!.shape[0]!, w!.shape[0]!], ([i, j]) =>
        total(x!.shape[1]!, (k) => at(x!, i!, k) * at(w!, j!, k)),
      ),
    ),
  ).toBeNull();
});

test("nn.dense of rank 3 multiplies every row", () => {
  const {
    ins: [x, w],
    outs,
  } = runCall("nn.dense", { name: "", args: ["Tensor[(2, 3, 4), float32]", "Tensor[(5, 4), float32]"] });
  expect(
    disagreement(
      outs[0]!,
      build([2, 3, 5], ([b, i, j]) => total(4, (k) => at(x!, b!, i!, k) * at(w!, j!, k))),
    ),
  ).toBeNull();
});

test.each([
  [false, false],
  [false, true],
  [true, false],
  [true, true],
])("nn.matmul and nn.batch_matmul, transpose_a=%s transpose_b=%s", (ta, tb) => {
  const a = ta ? "8, 3" : "3, 8";
  const b = tb ? "5, 8" : "8, 5";
  const attrs = { transpose_a: ta, transpose_b: tb };
  const one = runCall("nn.matmul", {
    name: "",
    args: [`Tensor[(${a}), float32]`, `Tensor[(${b}), float32]`],
    attrs,
  });
  const [x, y] = one.ins;
  expect(
    disagreement(
      one.outs[0]!,
      build([3, 5], ([i, j]) =>
        total(8, (k) => (ta ? at(x!, k, i!) : at(x!, i!, k)) * (tb ? at(y!, j!, k) : at(y!, k, j!))),
      ),
    ),
  ).toBeNull();
  for (const [na, nb] of [
    [2, 2],
    [1, 4],
    [3, 1],
  ] as const) {
    const many = runCall("nn.batch_matmul", {
      name: "",
      args: [`Tensor[(${na}, ${a}), float32]`, `Tensor[(${nb}, ${b}), float32]`],
      attrs,
    });
    const [p, q] = many.ins;
    const wanted = build([Math.max(na, nb), 3, 5], ([n, i, j]) => {
      const [m, o] = [na === 1 ? 0 : n!, nb === 1 ? 0 : n!];
      return total(
        8,
        (k) => (ta ? at(p!, m, k, i!) : at(p!, m, i!, k)) * (tb ? at(q!, o, j!, k) : at(q!, o, k, j!)),
      );
    });
    expect(disagreement(many.outs[0]!, wanted)).toBeNull();
  }
});

test("int8 products are summed in int32", () => {
  const values = new Map([
    [0, [127, 127, 127, 127]],
    [1, [127, -128, 127, 127]],
  ]);
  const { outs } = runCall(
    "nn.dense",
    { name: "", args: ["Tensor[(1, 4), int8]", "Tensor[(1, 4), int8]"], attrs: { out_dtype: "int32" } },
    { values },
  );
  expect(outs[0]!.values).toEqual([127 * 127 * 3 - 127 * 128]);
});

test.each([
  ...examplesOf("nn.bias_add"),
  [
    "",
    { name: "", args: ["Tensor[(2, 3, 4), float32]", "Tensor[(3), float32]"], attrs: { axis: -2 } },
  ] as const,
])("nn.bias_add: %s", (_, example) => {
  const {
    ins: [x, b],
    outs,
  } = runCall("nn.bias_add", example);
  const given = Number(example.attrs?.["axis"] ?? 1);
  const axis = given < 0 ? given + x!.shape.length : given;
  expect(
    disagreement(
      outs[0]!,
      build(x!.shape, (i) => at(x!, ...i) + at(b!, i[axis]!)),
    ),
  ).toBeNull();
});

test("nn.leaky_relu and nn.prelu", () => {
  const leaky = runCall("nn.leaky_relu", opNamed("nn.leaky_relu").examples[1]!);
  expect(
    disagreement(
      leaky.outs[0]!,
      build([2, 5], (i) => {
        const x = at(leaky.ins[0]!, ...i);
        return x > 0 ? x : 0.1 * x;
      }),
    ),
  ).toBeNull();
  const {
    ins: [x, a],
    outs,
  } = runCall("nn.prelu", opNamed("nn.prelu").examples[0]!);
  expect(
    disagreement(
      outs[0]!,
      build(x!.shape, (i) => {
        const v = at(x!, ...i);
        return v > 0 ? v : at(a!, i[1]!) * v;
      }),
    ),
  ).toBeNull();
});

test("nn.batch_flatten joins all axes but the first", () => {
  const { ins, outs } = runCall("nn.batch_flatten", opNamed("nn.batch_flatten").examples[0]!);
  expect(outs[0]).toEqual({ shape: [2, 60], values: ins[0]!.values });
});

/** Position in the source of a padded position: null is outside. */
function mirrored(i: number, n: number, mode: string): number {
  if (mode === "edge") return Math.min(Math.max(i, 0), n - 1);
  if (i < 0) return mode === "reflect" ? -i : -i - 1;
  if (i >= n) return mode === "reflect" ? 2 * n - 2 - i : 2 * n - 1 - i;
  return i;
}

test.each(examplesOf("nn.pad"))("nn.pad: %s", (_, example) => {
  const {
    ins: [x, v],
    outs,
  } = runCall("nn.pad", example);
  const width = example.attrs!["pad_width"] as number[][];
  const mode = String(example.attrs!["pad_mode"] ?? "constant");
  const wanted = build(
    x!.shape.map((n, d) => n + width[d]![0]! + width[d]![1]!),
    (index) => {
      const source = index.map((i, d) => i - width[d]![0]!);
      if (mode !== "constant") return at(x!, ...source.map((i, d) => mirrored(i, x!.shape[d]!, mode)));
      return source.every((i, d) => i >= 0 && i < x!.shape[d]!) ? at(x!, ...source) : v!.values[0]!;
    },
  );
  expect(disagreement(outs[0]!, wanted)).toBeNull();
});

test.each(examplesOf("nn.mirror_pad"))("nn.mirror_pad: %s", (_, example) => {
  const {
    ins: [x],
    outs,
  } = runCall("nn.mirror_pad", example);
  const width = example.attrs!["pad_width"] as number[][];
  const mode = String(example.attrs!["mode"] ?? "SYMMETRIC").toLowerCase();
  const wanted = build(
    x!.shape.map((n, d) => n + width[d]![0]! + width[d]![1]!),
    (index) => at(x!, ...index.map((i, d) => mirrored(i - width[d]![0]!, x!.shape[d]!, mode))),
  );
  expect(disagreement(outs[0]!, wanted)).toBeNull();
});

/** Linear interpolation at a real position, edges held. */
function lerp(values: readonly number[], position: number): number {
  const low = Math.floor(position);
  const part = position - low;
  const get = (i: number): number => values[Math.min(Math.max(i, 0), values.length - 1)]!;
  return get(low) * (1 - part) + get(low + 1) * part;
}

test.each(examplesOf("nn.upsampling"))("nn.upsampling: %s", (_, example) => {
  const {
    ins: [x],
    outs,
  } = runCall("nn.upsampling", example);
  const attrs = example.attrs!;
  const [h, w] = attrs["layout"] === "NHWC" ? [1, 2] : [2, 3];
  const shape = outs[0]!.shape;
  expect([shape[h]!, shape[w]!]).toEqual([
    Math.round(x!.shape[h]! * Number(attrs["scale_h"])),
    Math.round(x!.shape[w]! * Number(attrs["scale_w"])),
  ]);
  const wanted = build(shape, (index) => {
    const place = (axis: number): number =>
      attrs["align_corners"] === true
        ? (index[axis]! * (x!.shape[axis]! - 1)) / (shape[axis]! - 1)
        : (index[axis]! * x!.shape[axis]!) / shape[axis]!;
    const pick = (row: number, column: number): number =>
      at(x!, ...index.map((i, d) => (d === h ? row : d === w ? column : i)));
    if (attrs["method"] !== "bilinear") return pick(Math.floor(place(h) + 1e-6), Math.floor(place(w) + 1e-6));
    const rows = Array.from({ length: x!.shape[h]! }, (_, r) =>
      lerp(
        Array.from({ length: x!.shape[w]! }, (_, c) => pick(r, c)),
        place(w),
      ),
    );
    return lerp(rows, place(h));
  });
  expect(disagreement(outs[0]!, wanted)).toBeNull();
});
