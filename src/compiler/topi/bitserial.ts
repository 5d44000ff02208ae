// Numbers of few bits, each bit in a word of its own, multiplied by counting common bits.
// TVM: python/tvm/topi/nn/bitserial_util.py, bitserial_conv2d.py, bitserial_dense.py
import { at, first, tuple } from "../../support/assert.ts";
import type { DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import { add, cast, floorDiv, imm, intImm, mul, sub, tirCall, unary, knownInt } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { windowExtent } from "./indexing.ts";
import { pad } from "./pad.ts";

interface PackSpec {
  /** Bits of each number that count. */
  readonly bits: number;
  /** Axis of x whose neighbours share a word. */
  readonly packAxis: number;
  /** Where the axis of bits stands in the result. */
  readonly bitAxis: number;
  readonly type: DType;
}

/**
 * Words of the k-th bits of neighbouring numbers, the first number in the highest bit; one per bit along
 * `bitAxis`.
 */
export function bitpack(x: Tensor, spec: PackSpec, name: string, origin: Origin): Tensor {
  const width = spec.type.bits;
  const packed = x.shape.map((extent, axis) => (axis === spec.packAxis ? floorDiv(extent, width) : extent));
  const k = reduceAxis(width, "k");
  return compute(
    [...packed.slice(0, spec.bitAxis), intImm(spec.bits), ...packed.slice(spec.bitAxis)],
    (indices) => {
      const bit = cast(at(indices, spec.bitAxis, "index"), x.dtype);
      const place = indices
        .filter((_, axis) => axis !== spec.bitAxis)
        .map((index, axis) => (axis === spec.packAxis ? add(mul(index, width), k.variable) : index));
      const one = tirCall("tir.bitwise_and", x.dtype, [
        tirCall("tir.shift_right", x.dtype, [x.at(...place), bit]),
        imm(1, x.dtype),
      ]);
      return sum(
        tirCall("tir.shift_left", spec.type, [
          cast(one, spec.type),
          cast(sub(width - 1, k.variable), spec.type),
        ]),
        [k],
      );
    },
    { name, tag: "bitpack", origin },
  );
}

/**
 * What two words give: the bits they share, and with `unipolar` (weight bits mean -1 and 1) less those the
 * weight lacks; times 2 ** place.
 */
function wordProduct(
  data: PrimExpr,
  weight: PrimExpr,
  spec: { readonly unipolar: boolean; readonly outDType: DType },
  place: PrimExpr,
): PrimExpr {
  const common = (of: PrimExpr): PrimExpr =>
    cast(unary("tir.popcount", tirCall("tir.bitwise_and", data.dtype, [data, of])), spec.outDType);
  const count = spec.unipolar
    ? sub(common(weight), common(tirCall("tir.bitwise_not", weight.dtype, [weight])))
    : common(weight);
  return mul(
    count,
    tirCall("tir.shift_left", spec.outDType, [imm(1, spec.outDType), cast(place, spec.outDType)]),
  );
}

interface BitserialSpec {
  readonly dataBits: number;
  readonly weightBits: number;
  readonly packType: DType;
  readonly outDType: DType;
  readonly unipolar: boolean;
}

/** data (M, K) times weight (N, K) transposed; a weight of rank 3 (N, bits, words) is packed already. */
export function bitserialDense(data: Tensor, weight: Tensor, spec: BitserialSpec, origin: Origin): Tensor {
  const left = bitpack(
    data,
    { bits: spec.dataBits, packAxis: 1, bitAxis: 1, type: spec.packType },
    "packed_data",
    origin,
  );
  const right =
    weight.shape.length === 3
      ? weight
      : bitpack(
          weight,
          { bits: spec.weightBits, packAxis: 1, bitAxis: 1, type: spec.packType },
          "packed_weight",
          origin,
        );
  const [wb, db, k] = [
    reduceAxis(at(right.shape, 1, "right operand axis"), "wb"),
    reduceAxis(spec.dataBits, "db"),
    reduceAxis(at(left.shape, 2, "left operand axis"), "k"),
  ];
  return compute(
    [first(data.shape, "data axis"), first(right.shape, "right operand axis")],
    ([i, j]) =>
      sum(
        wordProduct(
          left.at(i, db.variable, k.variable),
          right.at(j, wb.variable, k.variable),
          spec,
          add(db.variable, wb.variable),
        ),
        [wb, db, k],
      ),
    { name: "bitserial_dense", tag: "bitserial_dense", origin },
  );
}

export interface BitserialConvSpec extends BitserialSpec {
  readonly layout: "NCHW" | "NHWC";
  readonly strides: readonly number[];
  /** [before, after] of height and width. */
  readonly padding: readonly (readonly [number, number])[];
}

/** Weights OIHW with NCHW, HWIO with NHWC; those of rank 5 have the bits last and are packed already. */
export function bitserialConv2d(
  data: Tensor,
  weight: Tensor,
  spec: BitserialConvSpec,
  origin: Origin,
): Tensor {
  const plain = spec.layout === "NCHW";
  const channel = plain ? 1 : 3;
  const words = bitpack(
    data,
    { bits: spec.dataBits, packAxis: channel, bitAxis: channel + 1, type: spec.packType },
    "packed_data",
    origin,
  );
  const factors =
    weight.shape.length === 5
      ? weight
      : bitpack(
          weight,
          { bits: spec.weightBits, packAxis: plain ? 1 : 2, bitAxis: 4, type: spec.packType },
          "packed_weight",
          origin,
        );
  const spatial = plain ? [3, 4] : [1, 2];
  const amount = (which: 0 | 1): number[] =>
    words.shape.map((_, axis) =>
      spatial.includes(axis) ? at(spec.padding, spatial.indexOf(axis), "padding")[which] : 0,
    );
  const padded = pad(words, { before: amount(0), after: amount(1) }, imm(0, spec.packType), {
    name: "pad_temp",
    origin,
  });
  const kernel = plain ? 2 : 0;
  const kh = knownInt(at(factors.shape, kernel, "kernel axis"));
  const kw = knownInt(at(factors.shape, kernel + 1, "kernel axis"));
  const count = (k: 0 | 1, size: number): PrimExpr =>
    windowExtent(
      sub(at(padded.shape, at(spatial, k, "spatial axis"), "padded data axis"), size),
      at(spec.strides, k, "stride"),
    );
  const [rc, ry, rx, b2, b1] = [
    reduceAxis(at(words.shape, channel, "packed data axis"), "rc"),
    reduceAxis(kh, "ry"),
    reduceAxis(kw, "rx"),
    reduceAxis(at(factors.shape, 4, "packed weight axis"), "b2"),
    reduceAxis(spec.dataBits, "b1"),
  ];
  const [n, o] = [
    first(words.shape, "packed data axis"),
    at(factors.shape, plain ? 0 : 3, "packed weight axis"),
  ];
  return compute(
    plain ? [n, o, count(0, kh), count(1, kw)] : [n, count(0, kh), count(1, kw), o],
    (i) => {
      const [image, second, third, fourth] = tuple(i, 4, "place in the result");
      const [out, y, x] = plain ? [second, third, fourth] : [fourth, second, third];
      const [row, column] = [
        add(mul(y, first(spec.strides, "stride")), ry.variable),
        add(mul(x, at(spec.strides, 1, "stride")), rx.variable),
      ];
      const word = plain
        ? padded.at(image, rc.variable, b1.variable, row, column)
        : padded.at(image, row, column, rc.variable, b1.variable);
      const factor = plain
        ? factors.at(out, rc.variable, ry.variable, rx.variable, b2.variable)
        : factors.at(ry.variable, rx.variable, rc.variable, out, b2.variable);
      return sum(wordProduct(word, factor, spec, add(b1.variable, b2.variable)), [rc, ry, rx, b2, b1]);
    },
    { name: "bitserial_conv2d", tag: `bitserial_conv2d_${spec.layout.toLowerCase()}`, origin },
  );
}
