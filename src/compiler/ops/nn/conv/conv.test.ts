// Convolutions of every kind against plain loops over NCHW and OIHW.
import { describe, expect, test } from "vitest";
import { at, build, disagreement, opNamed, runCall, type Nd } from "../../../../testing/harness/op-runner.ts";

/** `nd` with its axes in the order of `to`, where `from` names them now. */
function reorder(nd: Nd, from: string, to: string): Nd {
  const position = to.split("").map((letter) => from.indexOf(letter));
  return build(
    position.map((p) => nd.shape[p]!),
    (index) => {
      const source = new Array<number>(index.length);
      position.forEach((p, i) => {
        source[p] = index[i]!;
      });
      return at(nd, ...source);
    },
  );
}

interface Conv {
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
  readonly begins: readonly number[];
  readonly ends: readonly number[];
  readonly groups: number;
}

function windows(sizes: readonly number[], visit: (index: readonly number[]) => void): void {
  const count = sizes.reduce((a, b) => a * b, 1);
  for (let flat = 0; flat < count; flat++) {
    let rest = flat;
    visit(
      sizes
        .toReversed()
        .map((size) => {
          const i = rest % size;
          rest = Math.floor(rest / size);
          return i;
        })
        .toReversed(),
    );
  }
}

/** x (N, C, ...) with w: (O, C/groups, ...), or (C, multiplier, ...) where groups = C = O. */
function convolve(x: Nd, w: Nd, c: Conv): Nd {
  const [n, channels, ...size] = x.shape;
  const [o, inner, ...kernel] = w.shape;
  const depthwise = c.groups > 1 && c.groups === channels && c.groups === o;
  const outChannels = depthwise ? o * inner! : o!;
  const perGroupIn = channels! / c.groups;
  const perGroupOut = outChannels / c.groups;
  const outSize = size.map(
    (s, i) =>
      Math.floor((s + c.begins[i]! + c.ends[i]! - (kernel[i]! - 1) * c.dilation[i]! - 1) / c.strides[i]!) + 1,
  );
  return build([n!, outChannels, ...outSize], ([b, f, ...place]) => {
    const group = Math.floor(f! / perGroupOut);
    let sum = 0;
    for (let i = 0; i < perGroupIn; i++) {
      windows(kernel, (k) => {
        const source = place.map((p, d) => p * c.strides[d]! + k[d]! * c.dilation[d]! - c.begins[d]!);
        if (source.some((s, d) => s < 0 || s >= size[d]!)) return;
        const weight = depthwise ? at(w, Math.floor(f! / inner!), f! % inner!, ...k) : at(w, f!, i, ...k);
        sum += at(x, b!, group * perGroupIn + i, ...source) * weight;
      });
    }
    return sum;
  });
}

/**
 * Adds every element's product with the window to the result: the definition of the transposed convolution. w
 * is (C, O/groups, ...).
 */
function spread(x: Nd, w: Nd, c: Conv, extra: readonly number[]): Nd {
  const [n, channels, ...size] = x.shape;
  const [, inner, ...kernel] = w.shape;
  const outSize = size.map(
    (s, i) =>
      c.strides[i]! * (s - 1) + (kernel[i]! - 1) * c.dilation[i]! + 1 - c.begins[i]! - c.ends[i]! + extra[i]!,
  );
  const out = build([n!, inner! * c.groups, ...outSize], () => 0);
  const values = [...out.values];
  const perGroupIn = channels! / c.groups;
  windows([n!, channels!, ...size], ([b, ch, ...place]) => {
    for (let o = 0; o < inner!; o++) {
      windows(kernel, (k) => {
        const target = place.map((p, d) => p * c.strides[d]! + k[d]! * c.dilation[d]! - c.begins[d]!);
        if (target.some((t, d) => t < 0 || t >= outSize[d]!)) return;
        const f = Math.floor(ch! / perGroupIn) * inner! + o;
        const flat = [b!, f, ...target].reduce((a, index, d) => a * out.shape[d]! + index, 0);
        values[flat]! += at(x, b!, ch!, ...place) * at(w, ch!, o, ...k);
      });
    }
  });
  return { shape: out.shape, values };
}

function specOf(attrs: Readonly<Record<string, unknown>>, rank: number): Conv {
  const ones = Array.from({ length: rank }, () => 1);
  const padding = (attrs["padding"] as number[] | undefined) ?? [0];
  const begins = ones.map((_, i) => (padding.length === 1 ? padding[0]! : padding[i]!));
  return {
    strides: (attrs["strides"] as number[] | undefined) ?? ones,
    dilation: (attrs["dilation"] as number[] | undefined) ?? ones,
    begins,
    ends: padding.length === 2 * rank ? padding.slice(rank) : begins,
    groups: (attrs["groups"] as number | undefined) ?? 1,
  };
}

describe.each([
  ["nn.conv1d", "W"],
  ["nn.conv2d", "HW"],
  ["nn.conv3d", "DHW"],
])("%s", (name, spatial) => {
  test.each(opNamed(name).examples.map((example) => [example.name, example] as const))("%s", (_, example) => {
    const attrs = example.attrs ?? {};
    const dataLayout = (attrs["data_layout"] as string | undefined) ?? `NC${spatial}`;
    const kernelLayout = (attrs["kernel_layout"] as string | undefined) ?? `OI${spatial}`;
    for (const target of ["c", "wasm"] as const) {
      const { ins, outs } = runCall(name, example, { target });
      const wanted = convolve(
        reorder(ins[0]!, dataLayout, `NC${spatial}`),
        reorder(ins[1]!, kernelLayout, `OI${spatial}`),
        specOf(attrs, spatial.length),
      );
      expect(disagreement(reorder(outs[0]!, dataLayout, `NC${spatial}`), wanted)).toBeNull();
    }
  });
});

describe.each([
  ["nn.conv1d_transpose", "W"],
  ["nn.conv2d_transpose", "HW"],
  ["nn.conv3d_transpose", "DHW"],
])("%s", (name, spatial) => {
  test.each(opNamed(name).examples.map((example) => [example.name, example] as const))("%s", (_, example) => {
    const attrs = example.attrs ?? {};
    const dataLayout = (attrs["data_layout"] as string | undefined) ?? `NC${spatial}`;
    const kernelLayout = (attrs["kernel_layout"] as string | undefined) ?? `OI${spatial}`;
    const extra = (attrs["output_padding"] as number[] | undefined) ?? spatial.split("").map(() => 0);
    const { ins, outs } = runCall(name, example);
    const wanted = spread(
      reorder(ins[0]!, dataLayout, `NC${spatial}`),
      reorder(ins[1]!, kernelLayout, `${name === "nn.conv2d_transpose" ? "IO" : "OI"}${spatial}`),
      specOf(attrs, spatial.length),
      extra,
    );
    expect(disagreement(reorder(outs[0]!, dataLayout, `NC${spatial}`), wanted)).toBeNull();
  });
});

test("a blocked layout computes what the plain one does", () => {
  const plain = {
    name: "",
    args: ["Tensor[(1, 8, 5, 5), float32]", "Tensor[(4, 8, 3, 3), float32]"],
    attrs: { padding: [1, 1] },
  };
  const blocked = {
    name: "",
    args: ["Tensor[(1, 2, 5, 5, 4), float32]", "Tensor[(1, 2, 3, 3, 4, 4), float32]"],
    attrs: { padding: [1, 1], data_layout: "NCHW4c", kernel_layout: "OIHW4i4o" },
  };
  const want = runCall("nn.conv2d", plain);
  const pack = (nd: Nd): Nd =>
    build([1, nd.shape[1]! / 4, nd.shape[2]!, nd.shape[3]!, 4], ([n, c, h, w, i]) =>
      at(nd, n!, c! * 4 + i!, h!, w!),
    );
  const kernel = build([1, 2, 3, 3, 4, 4], ([o, i, h, w, i4, o4]) =>
    at(want.ins[1]!, o! * 4 + o4!, i! * 4 + i4!, h!, w!),
  );
  const got = runCall("nn.conv2d", blocked, {
    values: new Map([
      [0, pack(want.ins[0]!).values],
      [1, kernel.values],
    ]),
  });
  expect(disagreement(got.outs[0]!, pack(want.outs[0]!))).toBeNull();
});
