// The state of a stage: how one operation's loops are split, fused, ordered, marked, and where they are
// computed.
// TVM: include/tvm/te/schedule.h (StageNode, IterVarRelation)
import type { Buffer, IterVar, PrimExpr, StorageScope } from "../tir/expr.ts";
import type { ForKind } from "../tir/stmt.ts";
import { children } from "../tir/visit.ts";
import { type Operation, type Tensor, teTensor } from "./tensor.ts";

/** How derived axes follow from others. Split has a factor (inner extent) or nparts (outer extent). */
export type IterRelation =
  | {
      readonly kind: "split";
      readonly parent: IterVar;
      readonly outer: IterVar;
      readonly inner: IterVar;
      readonly factor: number | null;
      readonly nparts: number | null;
    }
  | { readonly kind: "fuse"; readonly outer: IterVar; readonly inner: IterVar; readonly fused: IterVar }
  | { readonly kind: "rebase"; readonly parent: IterVar; readonly rebased: IterVar }
  /** Fusing no axis at all (rank 0) gives one loop of extent 1. */
  | { readonly kind: "singleton"; readonly iter: IterVar };

export interface IterAttr {
  readonly forKind: ForKind;
  readonly pragmas: readonly (readonly [key: string, value: PrimExpr])[];
}

type Attach =
  | { readonly kind: "root" }
  | { readonly kind: "inline" }
  | { readonly kind: "scope"; readonly stage: StageState; readonly iter: IterVar };

/** Mutable: schedule primitives change it, lowering works on a copy. */
export interface StageState {
  /** The operation after cache and inline rewrites. */
  op: Operation;
  /** Unique within the schedule, for the trace. */
  readonly label: string;
  readonly isOutput: boolean;
  allIters: IterVar[];
  /** Loops of the stage, outermost first. */
  leafIters: IterVar[];
  relations: IterRelation[];
  attrs: Map<IterVar, IterAttr>;
  attach: Attach;
  scope: StorageScope | null;
}

/** Data axes, then reduction axes. */
export function rootIters(op: Operation): readonly IterVar[] {
  return op.kind === "compute" ? [...op.axis, ...op.reduceAxis] : [];
}

export function stageState(op: Operation, label: string, isOutput: boolean): StageState {
  const iters = rootIters(op);
  return {
    op,
    label,
    isOutput,
    allIters: [...iters],
    leafIters: [...iters],
    relations: [],
    attrs: new Map(),
    attach: { kind: "root" },
    scope: null,
  };
}

const knownInputs = new WeakMap<Operation, readonly Tensor[]>();

/** Tensors that `op` reads, each once, in order of first reading. */
export function inputTensors(op: Operation): readonly Tensor[] {
  if (op.kind === "placeholder") return [];
  if (op.kind === "extern") return op.inputs;
  const known = knownInputs.get(op);
  if (known !== undefined) return known;
  const found = new Set<Tensor>();
  const walk = (expr: PrimExpr): void => {
    // A producer's indices may read other tensors (take, gather): those come first.
    for (const child of children(expr)) walk(child);
    if (expr.kind === "producer-load") found.add(teTensor(expr.producer));
  };
  for (const expr of op.body) walk(expr);
  const inputs = [...found];
  knownInputs.set(op, inputs);
  return inputs;
}

/** Operations behind `outputs`, producers before consumers. */
export function operationsOf(outputs: readonly Tensor[]): readonly Operation[] {
  const order: Operation[] = [];
  const seen = new Set<Operation>();
  type Frame = { readonly op: Operation; readonly inputs: readonly Tensor[]; next: number };
  for (const output of outputs) {
    const stack: Frame[] = [];
    const enter = (op: Operation): void => {
      if (seen.has(op)) return;
      seen.add(op);
      stack.push({ op, inputs: inputTensors(op), next: 0 });
    };
    enter(output.op);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (top.next < top.inputs.length) enter(top.inputs[top.next++]!.op);
      else {
        order.push(top.op);
        stack.pop();
      }
    }
  }
  return order;
}

/**
 * A tensor's memory while it is realized: element [i…] of the tensor is element [i - mins…] of the buffer.
 */
export interface Realized {
  readonly buffer: Buffer;
  readonly mins: readonly PrimExpr[];
}
