// Every TFLite operator that can be imported, by name.
import { invariant } from "../../../../support/assert.ts";
import type { Importer } from "../graph.ts";
import { controlOps } from "./control.ts";
import { convOps } from "./conv.ts";
import { conv3dOps } from "./conv3d.ts";
import { detectionOps } from "./detection.ts";
import { elementwiseOps } from "./elementwise.ts";
import { matrixOps } from "./matrix.ts";
import { poolOps } from "./pool.ts";
import { quantiseOps } from "./quantise.ts";
import { recurrentOps } from "./recurrent.ts";
import { reduceOps } from "./reduce.ts";
import { resizeOps } from "./resize.ts";
import { shapeOps } from "./shape.ts";

function tableOf(): ReadonlyMap<string, Importer> {
  const table = new Map<string, Importer>();
  for (const { op, importer } of [
    ...controlOps,
    ...convOps,
    ...conv3dOps,
    ...detectionOps,
    ...elementwiseOps,
    ...matrixOps,
    ...poolOps,
    ...quantiseOps,
    ...recurrentOps,
    ...reduceOps,
    ...resizeOps,
    ...shapeOps,
  ]) {
    invariant(!table.has(op), `two importers of ${op}`);
    table.set(op, importer);
  }
  return table;
}

export const tfliteOps: ReadonlyMap<string, Importer> = tableOf();
