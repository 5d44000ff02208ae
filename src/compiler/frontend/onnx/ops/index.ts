// Every operator that the importer reads. Adding one: an entry in a file of ops/ (one Relay operator) or
// composite/ (several).
import { invariant } from "../../../../support/assert.ts";
import { centerCropPadOps } from "../composite/center-crop-pad.ts";
import { constantOps } from "../composite/constants.ts";
import { controlOps } from "../composite/control.ts";
import { convOps } from "../composite/conv.ts";
import { einsumOps } from "../composite/einsum.ts";
import { attentionOps } from "../composite/attention.ts";
import { gatherOps } from "../composite/gather.ts";
import { lossOps } from "../composite/loss.ts";
import { matmulOps } from "../composite/matmul.ts";
import { normOps } from "../composite/norm.ts";
import { optimizerOps } from "../composite/optimizers.ts";
import { poolOps } from "../composite/pool.ts";
import { quantisedOps } from "../composite/quantised.ts";
import { recurrentOps } from "../composite/recurrent.ts";
import { resizeOps } from "../composite/resize.ts";
import { samplingOps } from "../composite/grid-sample.ts";
import { scatterOps } from "../composite/scatter.ts";
import { sequenceOps } from "../composite/sequence.ts";
import { shapeOps } from "../composite/shape.ts";
import { signalOps } from "../composite/signal.ts";
import { sliceOps } from "../composite/slice.ts";
import { tfIdfOps } from "../composite/tfidf.ts";
import { visionOps } from "../composite/vision.ts";
import { activationOps } from "./activations.ts";
import { elementwiseOps } from "./elementwise.ts";
import type { OnnxOp } from "./op-table.ts";
import { reduceOps } from "./reduce.ts";

const list: readonly OnnxOp[] = [
  ...attentionOps,
  ...centerCropPadOps,
  ...samplingOps,
  ...elementwiseOps,
  ...activationOps,
  ...reduceOps,
  ...constantOps,
  ...controlOps,
  ...convOps,
  ...gatherOps,
  ...lossOps,
  ...matmulOps,
  ...normOps,
  ...optimizerOps,
  ...poolOps,
  ...recurrentOps,
  ...einsumOps,
  ...quantisedOps,
  ...resizeOps,
  ...scatterOps,
  ...sequenceOps,
  ...shapeOps,
  ...signalOps,
  ...sliceOps,
  ...tfIdfOps,
  ...visionOps,
];

/** By "domain:op", readings with the newest first. */
const table: ReadonlyMap<string, readonly OnnxOp[]> = tableOf(list);

function tableOf(entries: readonly OnnxOp[]): ReadonlyMap<string, readonly OnnxOp[]> {
  const found = new Map<string, OnnxOp[]>();
  for (const entry of entries) {
    const key = `${entry.domain}:${entry.op}`;
    const readings = found.get(key) ?? [];
    invariant(
      !readings.some(({ since }) => since === entry.since),
      `two readings of ${key} since opset ${entry.since}`,
    );
    found.set(
      key,
      [...readings, entry].sort((a, b) => b.since - a.since),
    );
  }
  return found;
}

/** The reading of an operator in `opset`, or null. */
export function findOp(domain: string, op: string, opset: number): OnnxOp | null {
  return table.get(`${domain}:${op}`)?.find(({ since }) => since <= opset) ?? null;
}
