// The constants inside the records of the real TVM were made by the fill rule: ours must give the same bits.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseText } from "../../testing/harness/relay-text.ts";
import { bool, float16, float32, float64, int8, int64, parseDType, uint8 } from "../ir/dtype.ts";
import { decodeFloat16 } from "../ir/float16.ts";
import { tensorType } from "../ir/type.ts";
import { postOrder } from "../relay/visit.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import { fillTensor, parameterFill } from "./fill.ts";

interface Record_ {
  readonly input: string;
  readonly outputs: readonly { readonly shape: readonly number[]; readonly values: readonly number[] }[];
}

function record(name: string): Record_ {
  return JSON.parse(
    readFileSync(new URL(`../../testing/golden/programs/${name}.json`, import.meta.url), "utf8"),
  ) as Record_;
}

/** The constants of a record's program in the order of its metadata. */
function constantsOf(name: string): TensorData[] {
  const { module } = parseText(record(name).input);
  const found = new Set<TensorData>();
  postOrder(module.functions.get("main")!, (expr) => {
    if (expr.kind === "constant" && expr.data.shape.length > 0) found.add(expr.data);
  });
  return [...found];
}

describe("the fill rule", () => {
  it.each([
    ["returns_constant", ["k"]],
    ["conv_bn_fold", ["w", "g", "b", "m", "v"]],
    ["constant_subgraph", ["a", "b"]],
  ] as const)("made the constants of %s", (name, names) => {
    const constants = constantsOf(name);
    expect(constants).toHaveLength(names.length);
    constants.forEach((data, i) => {
      const made = fillTensor(names[i]!, tensorType(data.shape, data.dtype), 1);
      expect([...made.data]).toEqual([...data.data]);
    });
  });

  it("made the inputs of the recorded runs", () => {
    // returns_tuple_mixed gives back its parameter %x as second output.
    const { shape, values } = record("returns_tuple_mixed").outputs[1]!;
    expect([...fillTensor("x", tensorType(shape, float32)).data]).toEqual([...values]);
  });

  it("made the integer inputs of the recorded runs", () => {
    // mixed_dtypes: the second output is int8 %x > uint8 %y, the fourth %x as int64.
    const { outputs } = record("mixed_dtypes");
    const x = fillTensor("x", tensorType([3, 5], int8)).data;
    const y = fillTensor("y", tensorType([3, 5], uint8)).data;
    expect([...x].map(Number)).toEqual(outputs[3]!.values);
    expect([...x].map((v, i) => Number(v) > Number(y[i]))).toEqual(outputs[1]!.values);
  });

  it("casts last and covers every dtype", () => {
    const at = (name: string) => fillTensor("x", tensorType([4], parseDType(name)!)).data;
    const wide = [...(fillTensor("x", tensorType([4], float64)).data as Float64Array)];
    expect([...(at("float32") as Float32Array)]).toEqual(wide.map(Math.fround));
    expect(
      [...(at("float16") as Uint16Array)].map(decodeFloat16).every((v, i) => Math.abs(v - wide[i]!) < 1e-3),
    ).toBe(true);
    expect(
      [...(fillTensor("x", tensorType([64], int64)).data as BigInt64Array)].every((v) => v >= -8n && v <= 8n),
    ).toBe(true);
    expect(new Set(fillTensor("x", tensorType([64], bool)).data as Uint8Array)).toEqual(new Set([0, 1]));
    expect(fillTensor("x", tensorType([2], float16)).data).toBeInstanceOf(Uint16Array);
  });
});

describe("bound parameters", () => {
  it("are scaled by their fan-in", () => {
    const weight = parameterFill("w", tensorType([8, 3, 3, 3], float32)).data as Float32Array;
    const plain = fillTensor("w", tensorType([8, 3, 3, 3], float64)).data as Float64Array;
    expect([...weight]).toEqual([...plain].map((v) => Math.fround(v * Math.sqrt(3 / 27))));
    expect(
      Math.max(...(parameterFill("b", tensorType([100], float32)).data as Float32Array)),
    ).toBeLessThanOrEqual(0.5);
  });
  it("are positive where they are variances", () => {
    const variance = parameterFill("bn_var", tensorType([50], float32)).data as Float32Array;
    const plain = fillTensor("bn_var", tensorType([50], float64), 0.5).data as Float64Array;
    expect([...variance]).toEqual([...plain].map((v) => Math.fround(Math.abs(v) + 0.5)));
    expect(
      Math.min(...(parameterFill("running_variance", tensorType([50], float32)).data as Float32Array)),
    ).toBeGreaterThanOrEqual(0.5);
  });
});
