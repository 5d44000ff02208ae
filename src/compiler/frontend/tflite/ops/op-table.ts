// How a TFLite operator becomes Relay: one entry an operator.
import type { Importer } from "../graph.ts";

export interface TfOp {
  readonly op: string;
  readonly importer: Importer;
}

export function tfOp(op: string, importer: Importer): TfOp {
  return { op, importer };
}
