// TFLite_Detection_PostProcess against plain JavaScript, and the options of custom operators.
import { describe, expect, it } from "vitest";
import {
  anchorsOf,
  detectorFile,
  detectorInputs,
  scales,
  type Detector,
} from "../../../testing/harness/detector-file.ts";
import { runRelay, withJit } from "../../../testing/harness/relay-run.ts";
import { relayContext } from "../../../testing/harness/relay-text.ts";
import { flexMap } from "../../../testing/harness/tflite-writer.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import { float32 } from "../../ir/dtype.ts";
import { inferType } from "../../relay/passes/infer-type/infer-type.ts";
import type { RelayContext } from "../../relay/op.ts";
import { runRelayPrefix } from "../../relay/pass-list.ts";
import { readFlexMap } from "./flexbuffer.ts";
import { importTflite } from "./import.ts";

const context = (): RelayContext => withJit(relayContext());
const importFile = (detector: Detector, cx: RelayContext) =>
  importTflite({ name: "detector.tflite", bytes: detectorFile(detector), files: new Map() }, cx);

function run(detector: Detector): number[][] {
  const cx = context();
  const imported = importFile(detector, cx);
  expect(cx.diagnostics).toEqual([]);
  const main = runRelayPrefix(inferType.run(imported!.module, cx), cx).functions.get("main")!;
  const [moves, scores] = detectorInputs(detector);
  const inputs = new Map([
    ["moves", tensorData(float32, [1, detector.anchors, 4], moves)],
    ["scores", tensorData(float32, [1, detector.anchors, scores.length / detector.anchors], scores)],
  ]);
  return runRelay(
    main,
    main.params.map(({ name }) => inputs.get(name)!),
    cx,
  ).map((out) => Array.from(out.data, Number));
}

type Box = readonly [top: number, left: number, bottom: number, right: number];

function overlap(a: Box, b: Box): number {
  const common = [0, 1]
    .map((k) => Math.max(0, Math.min(a[k + 2]!, b[k + 2]!) - Math.max(a[k]!, b[k]!)))
    .reduce((x, y) => x * y);
  const area = ([top, left, bottom, right]: Box): number => (bottom - top) * (right - left);
  return common / (area(a) + area(b) - common);
}

/** Boxes, classes, scores and their number, as TFLite's fast suppression gives them. */
function wanted(detector: Detector): number[][] {
  const [moves, scores] = detectorInputs(detector);
  const anchors = anchorsOf(detector);
  const rows = scores.length / detector.anchors;
  const candidates = Array.from({ length: detector.anchors }, (_, j) => {
    const own = Array.from(scores.slice(j * rows + rows - detector.classes, (j + 1) * rows));
    const score = Math.max(...own);
    const [y, x, h, w] = anchors.slice(4 * j, 4 * j + 4) as unknown as [number, number, number, number];
    const [dy, dx, dh, dw] = moves.slice(4 * j, 4 * j + 4) as unknown as [number, number, number, number];
    const [cy, cx] = [(dy / scales.y_scale) * h + y, (dx / scales.x_scale) * w + x];
    const [half, side] = [(Math.exp(dh / scales.h_scale) * h) / 2, (Math.exp(dw / scales.w_scale) * w) / 2];
    return { score, kind: own.indexOf(score), box: [cy - half, cx - side, cy + half, cx + side] as const };
  })
    .filter(({ score }) => score >= detector.scoreThreshold)
    .sort((a, b) => b.score - a.score);
  const kept: typeof candidates = [];
  for (const one of candidates)
    if (
      kept.length < detector.detections &&
      !kept.some((other) => overlap(one.box, other.box) > detector.overlapThreshold)
    )
      kept.push(one);
  const filled = <T>(of: (one: (typeof kept)[number]) => T, rest: T): T[] =>
    Array.from({ length: detector.detections }, (_, i) => (kept[i] === undefined ? rest : of(kept[i])));
  return [
    filled<readonly number[]>((one) => one.box, [0, 0, 0, 0]).flat(),
    filled((one) => one.kind, 0),
    filled((one) => one.score, 0),
    [kept.length],
  ];
}

describe.each<Detector>([
  { anchors: 40, classes: 3, detections: 10, scoreThreshold: 0.3, overlapThreshold: 0.5 },
  { anchors: 25, classes: 1, detections: 20, scoreThreshold: 0.9, overlapThreshold: 0.2 },
  { anchors: 12, classes: 4, detections: 5, scoreThreshold: 1e-8, overlapThreshold: 0.6, noBackground: true },
  { anchors: 6, classes: 2, detections: 8, scoreThreshold: 0.1, overlapThreshold: 0.4 },
])("%j", (detector) => {
  it("gives what TFLite's fast suppression gives", () => {
    const got = run(detector);
    wanted(detector).forEach((values, i) => {
      expect(got[i]!.length).toBe(values.length);
      values.forEach((value, k) => expect(Math.abs(got[i]![k]! - value)).toBeLessThan(1e-5));
    });
  });
});

describe("options", () => {
  const base: Detector = {
    anchors: 6,
    classes: 2,
    detections: 8,
    scoreThreshold: 0.1,
    overlapThreshold: 0.4,
  };

  it.each([
    [{ use_regular_nms: true }, "its option use_regular_nms is not taken"],
    [{ max_classes_per_detection: 3 }, "its option max_classes_per_detection is not taken"],
    [{ num_classes: 7 }, "its scores fit no number of classes"],
  ])("%j is refused", (options, message) => {
    const cx = context();
    expect(importFile({ ...base, options }, cx)).toBeNull();
    expect(cx.diagnostics.map((found) => found.message)).toEqual([expect.stringContaining(message)]);
  });

  it("are numbers and booleans by name", () => {
    const bytes = flexMap({ b: -3, a: 0.5, ok: true, big: 1e9 });
    expect(readFlexMap(bytes)).toEqual(
      new Map<string, number | boolean>([
        ["a", 0.5],
        ["b", -3],
        ["big", 1e9],
        ["ok", true],
      ]),
    );
  });

  it("cut off anywhere are refused, never misread", () => {
    const bytes = flexMap({ x_scale: 10.5, y_scale: 3 });
    for (let length = 0; length < bytes.length; length++) {
      const read = readFlexMap(bytes.subarray(0, length));
      expect(typeof read === "string" || read.size === 0 || length > 8).toBe(true);
    }
    expect(readFlexMap(new Uint8Array(0))).toBe("the options are no map");
  });
});
