// What panes fetch after a compilation, by key. Flat records, text and typed arrays only.
import type { CallArg } from "./call-arg.ts";
import type { ListingId } from "./listing-id.ts";
import type { OwnerTable, RunId } from "./compile.ts";

export interface ListingView {
  readonly text: string;
  /** One per line: row of `owners` + 1, 0 = nobody. */
  readonly lineOwner: Uint32Array;
  /** The owner rows of this listing (listings are rendered on demand, so each brings its own table). */
  readonly owners: OwnerTable;
}

/** A node as the graph pane draws it; positions in px at zoom 1, laid out in the worker. */
export interface GraphNodeView {
  readonly id: number;
  readonly kind: "input" | "constant" | "call" | "output" | "tuple";
  /** Index of the primitive, -1 for others. */
  readonly primitive: number;
  /** Call index in the runner, -1 for others. */
  readonly call: number;
  readonly label: string;
  /** What a call writes; empty for others. */
  readonly results: readonly CallArg[];
  /** DLDeviceType that its result lies on, -1 where the plan does not say. */
  readonly device: number;
  readonly sid: number;
  readonly sources: readonly number[];
  /** Operators inside, for the expanded drawing. */
  readonly ops: readonly { readonly name: string; readonly local: string; readonly pattern: string }[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export interface GraphEdgeView {
  readonly from: number;
  readonly to: number;
  readonly shape: string;
  readonly dtype: string;
  /** null where only a run can tell. */
  readonly bytes: number | null;
  /** Polyline, x and y in turn. */
  readonly points: readonly number[];
}
export interface GraphView {
  readonly nodes: readonly GraphNodeView[];
  readonly edges: readonly GraphEdgeView[];
  readonly width: number;
  readonly height: number;
}

/** One tensor's stay in memory. Steps are call indices, inclusive. */
export interface MemoryBlockView {
  readonly sid: number;
  readonly offset: number;
  /** Bytes that the tensor uses. */
  readonly bytes: number;
  /** Bytes that its storage holds (>= bytes; the rest is slack). */
  readonly held: number;
  readonly from: number;
  readonly to: number;
  /** Primitive that writes it, -1 for a copy. */
  readonly primitive: number;
  readonly shape: string;
  readonly sources: readonly number[];
  /** DLDeviceType that it lies on. */
  readonly device: number;
}
/** A storage's stay: its bytes are held from the first to the last step whether a tensor uses them or not. */
export interface MemoryHoldView {
  readonly sid: number;
  readonly offset: number;
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}
export interface PlanView {
  readonly planner: "on-demand" | "storage-rewrite" | "graph-plan" | "greedy" | "hill-climb" | "lower-bound";
  readonly title: string;
  readonly totalBytes: number;
  readonly blocks: readonly MemoryBlockView[];
  readonly holds: readonly MemoryHoldView[];
}
export interface MemoryView {
  readonly plans: readonly PlanView[];
  readonly steps: number;
  /** Live tensor bytes at each call. */
  readonly liveBytes: Uint32Array;
  readonly workspaceBytes: Uint32Array;
  readonly peakStep: number;
}

export type ViewKey =
  | { readonly kind: "listing"; readonly id: ListingId }
  | { readonly kind: "graph" }
  | { readonly kind: "memory" }
  | { readonly kind: "wasm" };

export type ViewReply =
  | { readonly status: "listing"; readonly listing: ListingView }
  | { readonly status: "graph"; readonly graph: GraphView }
  | { readonly status: "memory"; readonly memory: MemoryView }
  | { readonly status: "wasm"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly status: "gone" };

export type { RunId };
