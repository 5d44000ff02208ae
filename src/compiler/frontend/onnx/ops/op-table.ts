// How an operator of the file becomes Relay: one entry an operator and the opset version from which it reads
// so.
import type { Importer } from "../graph.ts";
import type { NodeProto } from "../model-proto.ts";

export interface OnnxOp {
  /** "" is ONNX's own domain. */
  readonly domain: string;
  readonly op: string;
  /** First opset version of this reading. */
  readonly since: number;
  readonly importer: Importer;
  /** Inputs whose values must be known when importing, because ranks, axes or the program depend on them. */
  readonly values: (node: NodeProto) => readonly number[];
}

interface OnnxOpParts {
  readonly domain?: string;
  readonly since?: number;
  /** The same for all nodes, or by the node's attributes. */
  readonly values?: readonly number[] | ((node: NodeProto) => readonly number[]);
}

export function onnxOp(op: string, importer: Importer, parts: OnnxOpParts = {}): OnnxOp {
  const { values = [] } = parts;
  return {
    domain: parts.domain ?? "",
    op,
    since: parts.since ?? 1,
    importer,
    values: typeof values === "function" ? values : () => values,
  };
}
