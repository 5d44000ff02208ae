// The fill rule: tensor values from a name, never random, so that a record, a link and a test see the same
// numbers. For a tensor called `name`: h = FNV-1a-32 of the name's UTF-8 bytes; element i (row-major) has x =
// (i * 2654435761 + h) mod 2^32 and y = x >> 8. Floats are (y / 2^24 - 0.5) * 2 * scale in float64, then
// cast; signed integers y % 17 - 8; unsigned integers y % 17; bool y & 1. The records of the real TVM were
// made with it.
import { invariant } from "../../support/assert.ts";
import { fnv1aText } from "../../support/hash.ts";
import { encodeBfloat16, encodeFloat16 } from "./float16.ts";
import { allocateArray, elementCount, tensorData, type TensorArray, type TensorData } from "./tensor-data.ts";
import { staticShape, type TensorType } from "./type.ts";

/**
 * Values of a tensor called `name`; `type` must have a static shape. `adjust` changes a float in float64,
 * before the cast.
 */
export function fillTensor(
  name: string,
  type: TensorType,
  scale = 1,
  provenance: TensorData["provenance"] = "seeded",
  adjust?: (value: number) => number,
): TensorData {
  const shape = staticShape(type);
  invariant(shape !== null, `the fill rule needs a static shape for ${name}`);
  const data = allocateArray(type.dtype, elementCount(shape));
  // The one case that is large in practice (weights) has a loop of its own, without calls.
  if (data instanceof Float32Array && adjust === undefined) fillWeights(data, fnv1aText(name), scale);
  else
    fillArray(
      data,
      name,
      type,
      adjust === undefined
        ? (y) => (y / 2 ** 24 - 0.5) * 2 * scale
        : (y) => adjust((y / 2 ** 24 - 0.5) * 2 * scale),
    );
  return tensorData(type.dtype, shape, data, provenance);
}

/**
 * Scale of a bound parameter and of a seeded constant: sqrt(3 / product of dims[1:]) for rank >= 2, else 0.5;
 * keeps a deep network in range.
 */
export function parameterScale(type: TensorType): number {
  const shape = staticShape(type);
  invariant(shape !== null, "the fill rule needs a static shape");
  return shape.length >= 2 ? Math.sqrt(3 / Math.max(1, elementCount(shape.slice(1)))) : 0.5;
}

function fillWeights(data: Float32Array, h: number, scale: number): void {
  const { length } = data;
  for (let i = 0; i < length; i++)
    data[i] = (((Math.imul(i, 2654435761) + h) >>> 8) / 16777216 - 0.5) * 2 * scale;
}

function fillArray(data: TensorArray, name: string, type: TensorType, float: (y: number) => number): void {
  const { code, bits } = type.dtype;
  const h = fnv1aText(name);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    for (let i = 0; i < data.length; i++) data[i] = BigInt((hashed(i, h) % 17) - (code === "int" ? 8 : 0));
    return;
  }
  const value: (y: number) => number =
    code === "float"
      ? bits === 16
        ? (y) => encodeFloat16(float(y))
        : float
      : code === "bfloat"
        ? (y) => encodeBfloat16(float(y))
        : code === "bool"
          ? (y) => y & 1
          : code === "int"
            ? (y) => (y % 17) - 8
            : (y) => y % 17;
  for (let i = 0; i < data.length; i++) data[i] = value(hashed(i, h));
}

const multiplier = 2654435761;

/** y of element i: 24 bits. Math.imul is the product mod 2^32, `>>> 8` reads the sum as unsigned. */
function hashed(i: number, h: number): number {
  return (Math.imul(i, multiplier) + h) >>> 8;
}
