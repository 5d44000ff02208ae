// Packed bits against plain products of their numbers.
import { describe, expect, test } from "vitest";
import { at, build, runCall, total, typeOfCall } from "../../../testing/harness/op-runner.ts";

const noise = (i: number): number => (Math.imul(i + 1, 2654435761) >>> 9) & 255;
const many = (count: number, seed: number): number[] =>
  Array.from({ length: count }, (_, i) => noise(i + seed));

/**
 * The number that the lowest bits of `value` give; a weight's bit b of a unipolar layer counts 2^b or -2^b.
 */
const low = (value: number, bits: number): number => value & ((1 << bits) - 1);
const signed = (value: number, bits: number): number =>
  total(bits, (b) => ((value >> b) & 1 ? 1 : -1) * (1 << b));

test.each([
  [1, 1, 1, "uint32"],
  [3, 1, 2, "uint32"],
  [2, 0, 0, "uint8"],
  [8, 0, 1, "uint16"],
  [1, -1, -1, "uint64"],
] as const)("bitpack of %i bits, pack_axis=%i, bit_axis=%i, %s", (bits, pack, place, type) => {
  const width = Number(type.slice(4));
  const shape = [pack === 0 ? 2 * width : 2, pack === 0 ? 3 : width];
  const {
    ins: [x],
    outs: [words],
  } = runCall(
    "nn.bitpack",
    {
      name: "",
      args: [`Tensor[(${shape.join(", ")}), uint8]`],
      attrs: { bits, pack_axis: pack, bit_axis: place, pack_type: type },
    },
    { values: new Map([[0, many(shape[0]! * shape[1]!, 1)]]) },
  );
  const [axis, bitAxis] = [pack < 0 ? pack + 2 : pack, place < 0 ? place + 3 : place];
  const out = shape.map((extent, i) => (i === axis ? extent / width : extent));
  expect(words).toEqual(
    build([...out.slice(0, bitAxis), bits, ...out.slice(bitAxis)], (i) => {
      const rest = i.filter((_, k) => k !== bitAxis);
      // 2^53 and above only as what a number makes of 64 bits.
      let word = 0n;
      for (let k = 0; k < width; k++)
        word =
          (word << 1n) |
          BigInt(
            (at(x!, ...rest.map((index, d) => (d === axis ? index * width + k : index))) >> i[bitAxis]!) & 1,
          );
      return Number(word);
    }),
  );
});

describe.each([
  [1, 1, true],
  [1, 1, false],
  [2, 3, true],
  [3, 2, false],
] as const)("%i bits by %i bits, unipolar=%s", (dataBits, weightBits, unipolar) => {
  const weigh = (value: number): number => (unipolar ? signed(value, weightBits) : low(value, weightBits));

  test.each([false, true])("bitserial_dense, weight packed: %s", (packed) => {
    const [m, n, k] = [2, 3, 64];
    const [data, weight] = [many(m * k, 3), many(n * k, 77)];
    const attrs = {
      units: n,
      data_bits: dataBits,
      weight_bits: weightBits,
      pack_dtype: "uint32",
      out_dtype: "int32",
      unipolar,
    };
    const words = packed
      ? runCall(
          "nn.bitpack",
          {
            name: "",
            args: [`Tensor[(${n}, ${k}), uint8]`],
            attrs: { bits: weightBits, bit_axis: 1, pack_type: "uint32" },
          },
          { values: new Map([[0, weight]]) },
        ).outs[0]!.values
      : weight;
    const type = packed ? `Tensor[(${n}, ${weightBits}, 2), uint32]` : `Tensor[(${n}, ${k}), uint8]`;
    const { outs } = runCall(
      "nn.bitserial_dense",
      { name: "", args: [`Tensor[(${m}, ${k}), uint8]`, type], attrs },
      {
        values: new Map([
          [0, data],
          [1, words],
        ]),
      },
    );
    expect(outs[0]).toEqual(
      build([m, n], ([i, j]) =>
        total(k, (c) => low(data[i! * k + c]!, dataBits) * weigh(weight[j! * k + c]!)),
      ),
    );
  });

  test.each(["NCHW", "NHWC"])("bitserial_conv2d, %s", (layout) => {
    const plain = layout === "NCHW";
    const [c, h, w, o, kh, kw] = [16, 5, 4, 3, 3, 2];
    const args = [
      plain ? `Tensor[(1, ${c}, ${h}, ${w}), uint8]` : `Tensor[(1, ${h}, ${w}, ${c}), uint8]`,
      plain ? `Tensor[(${o}, ${c}, ${kh}, ${kw}), uint8]` : `Tensor[(${kh}, ${kw}, ${c}, ${o}), uint8]`,
    ];
    const attrs = {
      channels: o,
      kernel_size: [kh, kw],
      strides: [2, 1],
      padding: [1, 0, 1, 1],
      activation_bits: dataBits,
      weight_bits: weightBits,
      data_layout: layout,
      kernel_layout: plain ? "OIHW" : "HWIO",
      pack_dtype: "uint8",
      out_dtype: "int32",
      unipolar,
    };
    const {
      ins: [x, f],
      outs,
    } = runCall(
      "nn.bitserial_conv2d",
      { name: "", args, attrs },
      {
        values: new Map([
          [0, many(c * h * w, 5)],
          [1, many(o * c * kh * kw, 99)],
        ]),
      },
    );
    const sum = (out: number, y: number, z: number): number =>
      total(c, (i) =>
        total(kh, (ky) =>
          total(kw, (kx) => {
            const [row, column] = [y * 2 - 1 + ky, z + kx];
            if (row < 0 || row >= h || column >= w) return 0;
            const value = plain ? at(x!, 0, i, row, column) : at(x!, 0, row, column, i);
            return low(value, dataBits) * weigh(plain ? at(f!, out, i, ky, kx) : at(f!, ky, kx, i, out));
          }),
        ),
      );
    expect(outs[0]).toEqual(
      plain
        ? build([1, o, 3, 4], ([, out, y, z]) => sum(out!, y!, z!))
        : build([1, 3, 4, o], ([, y, z, out]) => sum(out!, y!, z!)),
    );
  });
});

test("axes that do not fill words, and too many bits, are refused", () => {
  const codes = (args: readonly string[], attrs: Record<string, number | string>) =>
    typeOfCall("nn.bitpack", args, attrs).diagnostics.map(({ code }) => code);
  expect([
    codes(["Tensor[(2, 33), uint8]"], { bit_axis: 1 }),
    codes(["Tensor[(2, 32), uint8]"], { bits: 9, bit_axis: 1 }),
    codes(["Tensor[(2, 32), uint8]"], { pack_type: "int32", bit_axis: 1 }),
  ]).toEqual([["RS2105"], ["RS2108"], ["RS2108"]]);
});
