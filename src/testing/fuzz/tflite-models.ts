// Small TFLite files of the usual operators, with a number or word of their description changed before they
// are written.
import { tfliteFile, type GraphSpec, type OperatorSpec, type TensorSpec } from "../harness/tflite-writer.ts";
import { mutatedPlain, type Plain } from "./mutate.ts";
import type { Random } from "./random.ts";

type Type = TensorSpec["type"];

interface Single {
  readonly code: number;
  readonly ins: readonly (readonly number[])[];
  /** Shapes of constants after the inputs; elements by place. */
  readonly consts?: readonly { readonly shape: readonly number[]; readonly values?: readonly number[] }[];
  readonly outs: readonly (readonly number[])[];
  readonly options?: OperatorSpec["options"];
}

const singles: readonly Single[] = [
  {
    code: 0,
    ins: [
      [1, 4, 4, 2],
      [1, 4, 4, 2],
    ],
    outs: [[1, 4, 4, 2]],
    options: [{ i8: 1 }],
  },
  {
    code: 1,
    ins: [[1, 4, 4, 2]],
    outs: [[1, 2, 2, 2]],
    options: [{ i8: 0 }, { i32: 2 }, { i32: 2 }, { i32: 2 }, { i32: 2 }],
  },
  {
    code: 2,
    ins: [
      [1, 2, 3],
      [1, 2, 4],
    ],
    outs: [[1, 2, 7]],
    options: [{ i32: 2 }, { i8: 0 }],
  },
  {
    code: 3,
    ins: [[1, 5, 5, 2]],
    consts: [{ shape: [3, 3, 3, 2] }, { shape: [3] }],
    outs: [[1, 5, 5, 3]],
    options: [{ i8: 0 }, { i32: 1 }, { i32: 1 }, { i8: 1 }, { i32: 1 }, { i32: 1 }],
  },
  {
    code: 4,
    ins: [[1, 5, 5, 2]],
    consts: [{ shape: [1, 3, 3, 2] }, { shape: [2] }],
    outs: [[1, 3, 3, 2]],
    options: [{ i8: 1 }, { i32: 1 }, { i32: 1 }, { i32: 1 }, { i8: 0 }, { i32: 1 }, { i32: 1 }],
  },
  {
    code: 9,
    ins: [[2, 6]],
    consts: [{ shape: [4, 6] }, { shape: [4] }],
    outs: [[2, 4]],
    options: [{ i8: 0 }],
  },
  { code: 14, ins: [[2, 3]], outs: [[2, 3]] },
  {
    code: 22,
    ins: [[2, 6]],
    consts: [{ shape: [2], values: [3, 4] }],
    outs: [[3, 4]],
    options: [{ i32s: [3, 4] }],
  },
  {
    code: 23,
    ins: [[1, 3, 3, 2]],
    consts: [{ shape: [2], values: [6, 5] }],
    outs: [[1, 6, 5, 2]],
    options: [null, null, { flag: false }, { flag: true }],
  },
  { code: 25, ins: [[2, 5]], outs: [[2, 5]], options: [{ f32: 1 }] },
  { code: 34, ins: [[2, 3]], consts: [{ shape: [2, 2], values: [1, 0, 2, 1] }], outs: [[3, 6]] },
  {
    code: 36,
    ins: [[4, 3]],
    consts: [{ shape: [2], values: [3, 1] }],
    outs: [[2, 3]],
    options: [{ i32: 0 }],
  },
  {
    code: 40,
    ins: [[2, 3, 4]],
    consts: [{ shape: [1], values: [1] }],
    outs: [[2, 1, 4]],
    options: [{ flag: true }],
  },
  {
    code: 45,
    ins: [[4, 5]],
    consts: [
      { shape: [2], values: [0, 1] },
      { shape: [2], values: [4, 5] },
      { shape: [2], values: [2, 1] },
    ],
    outs: [[2, 4]],
    options: [{ i32: 0 }, { i32: 0 }, { i32: 0 }, { i32: 0 }, { i32: 0 }],
  },
  {
    code: 83,
    ins: [
      [2, 3],
      [2, 3],
    ],
    outs: [[2, 2, 3]],
    options: [{ i32: 2 }, { i32: 1 }],
  },
];

function spec(rng: Random): GraphSpec {
  const one = rng.pick(singles);
  const type: Type = rng.pick(["float32", "float32", "int8", "uint8", "int16"]);
  const quantised = type === "float32" ? {} : { scale: [0.5], zero: [type === "uint8" ? 128 : 0] };
  const data = (
    shape: readonly number[],
    values: readonly number[] | undefined,
    as: Type,
  ): TensorSpec["data"] => {
    const n = shape.reduce((a, b) => a * b, 1);
    const elements = Array.from({ length: n }, (_, i) => values?.[i] ?? ((i * 7) % 5) - 2);
    if (as === "int32") return Int32Array.from(elements);
    return as === "float32"
      ? Float32Array.from(elements)
      : as === "int16"
        ? Int16Array.from(elements)
        : Int8Array.from(elements);
  };
  const ins = one.ins.map((shape, i): TensorSpec => ({ name: `x${i}`, shape, type, ...quantised }));
  const consts = (one.consts ?? []).map(({ shape, values }, i): TensorSpec => {
    const as: Type = values !== undefined || (i === 1 && type !== "float32") ? "int32" : type;
    return {
      name: `c${i}`,
      shape,
      type: as,
      ...(as === type ? quantised : {}),
      data: data(shape, values, as)!,
    };
  });
  const outs = one.outs.map((shape, i): TensorSpec => ({ name: `y${i}`, shape, type, ...quantised }));
  const tensors = [...ins, ...consts, ...outs];
  const numbers = tensors.map((_, i) => i);
  const inputs = numbers.slice(0, ins.length + consts.length);
  const outputs = numbers.slice(ins.length + consts.length);
  const operator: OperatorSpec = {
    code: one.code,
    inputs,
    outputs,
    ...(one.options === undefined ? {} : { options: one.options }),
  };
  return { tensors, inputs: numbers.slice(0, ins.length), outputs, operators: [operator] };
}

/** A file, three times out of four with something of its description changed. */
export function tfliteModel(rng: Random): Uint8Array {
  const whole = spec(rng);
  if (rng.chance(0.25)) return tfliteFile(whole);
  try {
    return tfliteFile(mutatedPlain(rng, whole as unknown as Plain) as unknown as GraphSpec);
  } catch {
    // Not every description can be written.
    return tfliteFile(whole);
  }
}
