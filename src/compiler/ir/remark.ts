// Decisions as data: why fused, why not, which token was reused, which rule fired. Shown where a person asks
// for them.
import type { Origin } from "./origin.ts";

export interface Remark {
  /**
   * Pass or planner that decided, TVM's name: "FuseOps", "StorageRewrite", "GraphPlanMemory", "SimplifyExpr".
   */
  readonly pass: string;
  /** "fuse.merged" | "fuse.refused" | "memory.reused" | "memory.new" | "simplify.hit" | ... dotted, lower case. */
  readonly kind: string;
  /** One sentence for a person, without the pass name. */
  readonly text: string;
  /** What was decided on. */
  readonly origin: Origin | null;
  /** The other end, for decisions about a pair (the gap between two nodes). */
  readonly other: Origin | null;
  /** Facts behind the sentence: {why: "maxDepth", limit: 256}. */
  readonly facts: Readonly<Record<string, string | number>>;
}

export function remark(
  pass: string,
  kind: string,
  text: string,
  parts: {
    readonly origin?: Origin | null;
    readonly other?: Origin | null;
    readonly facts?: Readonly<Record<string, string | number>>;
  } = {},
): Remark {
  return {
    pass,
    kind,
    text,
    origin: parts.origin ?? null,
    other: parts.other ?? null,
    facts: parts.facts ?? {},
  };
}
