// The reference models of MLPerf Tiny against what TVM 0.8 made of the same files, and against TFLite's own
// results where TVM has no record. The files are not in this repository: the tests run where ../shared lies
// beside it, and are skipped elsewhere.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { flatValues } from "../../../node/values.ts";
import { compareOutputs, type GoldenOutput } from "../../../testing/harness/compare-outputs.ts";
import { compareRelay } from "../../../testing/harness/relay-compare.ts";
import { runRelay, withJit } from "../../../testing/harness/relay-run.ts";
import { relayContext, typedModule } from "../../../testing/harness/relay-text.ts";
import { tensorBytes, type TensorData } from "../../ir/tensor-data.ts";
import type { TensorType } from "../../ir/type.ts";
import { ops } from "../../ops/index.ts";
import { inferType } from "../../relay/passes/infer-type/infer-type.ts";
import type { IRModule } from "../../relay/module.ts";
import type { RelayContext } from "../../relay/op.ts";
import { runRelayPrefix } from "../../relay/pass-list.ts";
import { printModule } from "../../relay/text/print.ts";
import { postOrder } from "../../relay/visit.ts";
import { fillTensor } from "../fill.ts";
import { importTflite } from "./import.ts";

const shared = new URL("../../../../../shared/", import.meta.url);
const present = existsSync(new URL("models/mlperf-tiny/", shared));

interface GoldenRecord {
  readonly input: string;
  readonly o3: { readonly fused: string };
  readonly outputs: readonly GoldenOutput[];
}

function importFile(name: string): { readonly module: IRModule; readonly cx: RelayContext } {
  const cx = withJit(relayContext());
  const bytes = new Uint8Array(readFileSync(new URL(`models/mlperf-tiny/${name}.tflite`, shared)));
  const imported = importTflite({ name, bytes, files: new Map() }, cx);
  expect(cx.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return { module: inferType.run(imported!.module, cx), cx };
}

const text = (module: IRModule): string => printModule(module, { ops, showMeta: false }).text;

/** Dtype, shape and bytes of the constants that are not scalars, in the order of the text. */
function constantsOf(module: IRModule): readonly string[] {
  const found: string[] = [];
  postOrder(module.functions.get("main")!, (expr) => {
    if (expr.kind === "constant" && expr.data.shape.length > 0)
      found.push(
        `${expr.data.dtype.name} ${expr.data.shape.join("x")} ${Buffer.from(tensorBytes(expr.data)).toString("base64")}`,
      );
  });
  return found;
}

function run(fused: IRModule, cx: RelayContext): readonly TensorData[] {
  const main = fused.functions.get("main")!;
  return runRelay(
    main,
    main.params.map((param) => fillTensor(param.name, param.annotation as TensorType)),
    cx,
  );
}

describe.skipIf(!present)("MLPerf Tiny (needs ../shared)", () => {
  it.each([
    ["kws_ref_model", "kws_int8"],
    ["ad01_int8", "ad_int8"],
    ["pretrainedResnet_quant", "resnet8_int8"],
    ["pretrainedResnet", "resnet8_float"],
    ["vww_96_int8", "vww_int8"],
  ])("%s is TVM's import, its fused form and its values", (file, record) => {
    const golden = JSON.parse(readFileSync(new URL(`golden/${record}.json`, shared), "utf8")) as GoldenRecord;
    const { module, cx } = importFile(file);
    expect(compareRelay(golden.input, text(module), { types: true })).toBeNull();
    expect(constantsOf(module)).toEqual(constantsOf(typedModule(golden.input).module));
    const fused = runRelayPrefix(module, cx);
    expect(compareRelay(golden.o3.fused, text(fused), { types: true })).toBeNull();
    expect(
      compareOutputs(run(fused, cx).map(flatValues), golden.outputs, {
        network: true,
        quantised: record.endsWith("int8"),
      }),
    ).toBeNull();
  });

  // First values and sum that TFLite itself gives; the last model's weights are integers, and TFLite rounds
  // its data as well.
  it.each([
    ["str_ww_ref_model", [-128, -128, 127], -129, 0],
    ["vww_96_float", [0.96610028, 0.03389969], 1, 1e-5],
    [
      "ad01_fp32",
      [-34.6094894, -18.8887539, -10.138716, -5.5757633, -2.8593445, 1.7244133],
      -10719.74024,
      1e-2,
    ],
    ["kws_ref_model_float32", [0.05737, 0.035383, 0.0461013, 0.032839, 0.0464327, 0.0747976], 1, 0.02],
  ] as const)("%s is what TFLite computes", (file, first, sum, tolerance) => {
    const { module, cx } = importFile(file);
    const [out] = run(runRelayPrefix(module, cx), cx);
    const values = Array.from(out!.data, Number);
    first.forEach((value, i) => expect(Math.abs(values[i]! - value)).toBeLessThanOrEqual(tolerance));
    expect(Math.abs(values.reduce((a, b) => a + b) - sum)).toBeLessThanOrEqual(tolerance);
  });
});
