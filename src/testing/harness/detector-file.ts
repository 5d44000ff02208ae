// A TFLite file that ends in TFLite_Detection_PostProcess, as single-shot detectors do, for tests.
import { flexMap, tfliteFile, type TensorSpec } from "./tflite-writer.ts";

export interface Detector {
  readonly anchors: number;
  readonly classes: number;
  readonly detections: number;
  readonly scoreThreshold: number;
  readonly overlapThreshold: number;
  /** Scores have no row for the background. */
  readonly noBackground?: boolean;
  readonly options?: Readonly<Record<string, number | boolean>>;
}

export const scales = { x_scale: 10, y_scale: 10, h_scale: 5, w_scale: 5 };

/** Numbers in [0, 1) that do not repeat soon. */
export const noise = (i: number): number => ((Math.imul(i + 1, 2654435761) >>> 8) % 9973) / 9973;

/** Centre and size of every anchor, y and height first. */
export function anchorsOf({ anchors }: Detector): Float32Array {
  return Float32Array.from({ length: anchors * 4 }, (_, i) => (i % 4 < 2 ? noise(i) : 0.2 + 0.3 * noise(i)));
}

export function detectorFile(detector: Detector): Uint8Array {
  const { anchors, classes, detections } = detector;
  const float = (name: string, shape: readonly number[], data?: Float32Array): TensorSpec => ({
    name,
    shape,
    type: "float32",
    ...(data === undefined ? {} : { data }),
  });
  const custom = flexMap(
    {
      max_detections: detections,
      max_classes_per_detection: 1,
      detections_per_class: 100,
      use_regular_nms: false,
      nms_score_threshold: detector.scoreThreshold,
      nms_iou_threshold: detector.overlapThreshold,
      num_classes: classes,
      ...scales,
      ...detector.options,
    },
    ["nms_score_threshold", "nms_iou_threshold", ...Object.keys(scales)],
  );
  const tensors = [
    float("moves", [1, anchors, 4]),
    float("scores", [1, anchors, classes + (detector.noBackground === true ? 0 : 1)]),
    float("anchors", [anchors, 4], anchorsOf(detector)),
    float("boxes", [1, detections, 4]),
    float("kinds", [1, detections]),
    float("found", [1, detections]),
    float("count", [1]),
  ];
  return tfliteFile({
    tensors,
    inputs: [0, 1],
    outputs: [3, 4, 5, 6],
    operators: [{ code: "TFLite_Detection_PostProcess", inputs: [0, 1, 2], outputs: [3, 4, 5, 6], custom }],
  });
}

/** Inputs of the file: moves and scores. */
export function detectorInputs({
  anchors,
  classes,
  noBackground,
}: Detector): readonly [Float32Array, Float32Array] {
  const rows = classes + (noBackground === true ? 0 : 1);
  return [
    Float32Array.from({ length: anchors * 4 }, (_, i) => 2 * noise(i + 500) - 1),
    Float32Array.from({ length: anchors * rows }, (_, i) => noise(i + 9000)),
  ];
}
