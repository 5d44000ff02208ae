// Schedules: which loops compute each tensor, in TVM's primitives. Every call is kept in a trace that a
// person can read. The state changes in place while a recipe works; lowering (lower.ts) takes a copy and
// never changes it.
// TVM: src/te/schedule/schedule_lang.cc, python/tvm/te/schedule.py.  Left out: bind, tensorize, rfactor,
// prefetch, storage_align.
import { at, first, invariant } from "../../support/assert.ts";
import { freshName, nameSupply, type NameSupply } from "../../support/name-supply.ts";
import { add, constInt, floorDiv, intImm, mul, tirVar } from "../tir/build.ts";
import type { IterVar, PrimExpr, StorageScope } from "../tir/expr.ts";
import type { ForKind } from "../tir/stmt.ts";
import { cacheRead, cacheWrite, repack, type Repacking, type Rewritable } from "./cache.ts";
import { inputTensors, operationsOf, stageState, type IterAttr, type StageState } from "./stage.ts";
import type { ComputeOp, Operation, Tensor } from "./tensor.ts";
import { rfactor, transformLayout, type LayoutTransform } from "./transform-layout.ts";

type SplitBy = { readonly factor: number } | { readonly nparts: number };

/** Handle on one stage. Axes given must be loops of the stage now (leafIters); a split axis is gone. */
export interface Stage {
  readonly state: StageState;
  readonly op: Operation;
  readonly label: string;
  readonly isOutput: boolean;
  /** Data axes of the operation, in order of the tensor's dimensions. */
  readonly axis: readonly IterVar[];
  readonly reduceAxis: readonly IterVar[];
  /** Loops now, outermost first. */
  readonly leafIters: readonly IterVar[];
  /**
   * iter = outer * factor + inner; `extent` of the results is nominal (of the whole tensor, not of a region).
   */
  readonly split: (iter: IterVar, by: SplitBy) => readonly [outer: IterVar, inner: IterVar];
  /** Neighbouring loops, outermost first, made one; no axis gives a loop of extent 1. */
  readonly fuse: (...iters: readonly IterVar[]) => IterVar;
  /** These loops in this order, in the places that they have together. */
  readonly reorder: (...iters: readonly IterVar[]) => void;
  /** split of two axes and reorder: x.outer, y.outer, x.inner, y.inner. */
  readonly tile: (
    x: IterVar,
    y: IterVar,
    xFactor: number,
    yFactor: number,
  ) => readonly [IterVar, IterVar, IterVar, IterVar];
  /** Computed inside loop `iter` of `parent`, only the region needed there. */
  readonly computeAt: (parent: Stage, iter: IterVar) => void;
  /** Computed where it is read; for single-output computes without reduction. */
  readonly computeInline: () => void;
  readonly computeRoot: () => void;
  readonly setScope: (scope: StorageScope) => void;
  readonly vectorize: (iter: IterVar) => void;
  readonly unroll: (iter: IterVar) => void;
  readonly parallel: (iter: IterVar) => void;
  readonly pragma: (iter: IterVar, key: string, value?: number) => void;
}

export interface Schedule {
  readonly outputs: readonly Tensor[];
  /** Producers before consumers; placeholders too. */
  readonly stages: readonly Stage[];
  /** By a tensor or operation, also one from before a cache rewrite. */
  readonly stage: (of: Tensor | Operation) => Stage;
  /** Stages that read `of` now. */
  readonly readers: (of: Tensor | Stage) => readonly Stage[];
  /** A stage that copies `tensor` into `scope`; `readers` read the copy from then on. */
  readonly cacheRead: (tensor: Tensor, scope: StorageScope, readers: readonly (Tensor | Stage)[]) => Tensor;
  /**
   * A stage in `scope` that computes what `tensor`'s stage computed, which then only copies. Before any other
   * primitive on that stage.
   */
  readonly cacheWrite: (tensor: Tensor, scope: StorageScope) => Tensor;
  /**
   * Gives a tensor that is no output another shape; see transform-layout.ts. Before any other primitive on
   * that stage.
   */
  readonly transformLayout: (tensor: Tensor, transform: LayoutTransform) => Tensor;
  /**
   * Partial sums of the last reduction axis in `lanes` parts, as the last axis of a new tensor. Before any
   * other primitive on that stage.
   */
  readonly rfactor: (tensor: Tensor, lanes: number, scope: StorageScope) => Tensor;
  /**
   * A stage that holds `tensor` in another layout (weights in register tiles), which `readers` read instead.
   * At the root unless moved. Of a parameter that is constant it can be made once, before the function runs:
   * see lowerPrepacked in prepack.ts.
   */
  readonly repack: (tensor: Tensor, readers: readonly (Tensor | Stage)[], how: Repacking) => Tensor;
  /** What repack made, in order. */
  readonly repacked: readonly Tensor[];
  readonly trace: readonly string[];
}

interface Internal {
  readonly rewritable: Rewritable;
  readonly handles: Map<StageState, Stage>;
  readonly trace: string[];
  readonly labels: NameSupply;
}

/** A schedule in which every tensor is computed by itself, in full, in row-major loops. */
export function createSchedule(outputs: readonly Tensor[]): Schedule {
  const labels = nameSupply();
  const stages: StageState[] = [];
  const byOp = new Map<Operation, StageState>();
  const outputOps = new Set(outputs.map((tensor) => tensor.op));
  for (const op of operationsOf(outputs)) {
    const state = stageState(op, freshName(labels, op.name, "_"), outputOps.has(op));
    stages.push(state);
    byOp.set(op, state);
  }
  const internal: Internal = {
    rewritable: { stages, byOp, label: (name) => freshName(labels, name, "_") },
    handles: new Map(),
    trace: [],
    labels,
  };
  const handle = (state: StageState): Stage => {
    let found = internal.handles.get(state);
    if (found === undefined) {
      found = makeStage(internal, state);
      internal.handles.set(state, found);
    }
    return found;
  };
  const stateOf = (of: Tensor | Operation): StageState => {
    const found = byOp.get(of.kind === "tensor" ? of.op : of);
    invariant(found !== undefined, `${of.name} is not part of this schedule`);
    return found;
  };
  const readersOf = readerTable(stages, byOp, handle);
  return {
    outputs,
    get stages() {
      return stages.map(handle);
    },
    stage: (of) => handle(stateOf(of)),
    readers: (of) => readersOf.of("state" in of ? of.state : stateOf(of)),
    ...rewrites(internal, stateOf, readersOf.forget),
    trace: internal.trace,
  };
}

/** The primitives that change operations; `forget` is called before each. */
function rewrites(
  { rewritable, trace }: Internal,
  stateOf: (of: Tensor) => StageState,
  forget: () => void,
): Pick<Schedule, "cacheRead" | "cacheWrite" | "repack" | "repacked" | "transformLayout" | "rfactor"> {
  const rewrite = <T>(change: () => T): T => {
    forget();
    return change();
  };
  const statesOf = (list: readonly (Tensor | Stage)[]): readonly StageState[] =>
    list.map((reader) => ("state" in reader ? reader.state : stateOf(reader)));
  const labelsOf = (states: readonly StageState[]): string => states.map((state) => state.label).join(", ");
  const shapeOf = (tensor: Tensor): string => tensor.shape.map((dim) => constInt(dim) ?? "?").join(", ");
  const repacked: Tensor[] = [];
  return {
    cacheRead: (tensor, scope, readers) => {
      const states = statesOf(readers);
      const cache = rewrite(() => cacheRead(rewritable, tensor, scope, states));
      trace.push(`${cache.name} = s.cache_read(${tensor.name}, "${scope}", [${labelsOf(states)}])`);
      return cache;
    },
    cacheWrite: (tensor, scope) => {
      const caches = rewrite(() => cacheWrite(rewritable, stateOf(tensor), scope));
      trace.push(`${first(caches, "cache").op.name} = s.cache_write(${tensor.name}, "${scope}")`);
      return at(caches, tensor.valueIndex, "cache");
    },
    repack: (tensor, readers, how) => {
      const states = statesOf(readers);
      const packed = rewrite(() => repack(rewritable, tensor, states, how));
      repacked.push(packed);
      trace.push(
        `${packed.name} = s.repack(${tensor.name}, [${labelsOf(states)}], shape=[${shapeOf(packed)}])`,
      );
      return packed;
    },
    repacked,
    transformLayout: (tensor, transform) => {
      const made = rewrite(() => transformLayout(rewritable, stateOf(tensor), transform));
      trace.push(`s[${tensor.name}].transform_layout(${shapeOf(made)})`);
      return made;
    },
    rfactor: (tensor, lanes, scope) => {
      const made = rewrite(() => rfactor(rewritable, stateOf(tensor), lanes, scope));
      trace.push(`${made.name} = s.rfactor(${tensor.name}, ${lanes})`);
      return made;
    },
  };
}

/** Who reads a stage, kept until a rewrite changes operations. */
interface ReaderTable {
  readonly of: (state: StageState) => readonly Stage[];
  readonly forget: () => void;
}

function readerTable(
  stages: readonly StageState[],
  byOp: ReadonlyMap<Operation, StageState>,
  handle: (state: StageState) => Stage,
): ReaderTable {
  let table: Map<StageState, Stage[]> | null = null;
  const made = (): Map<StageState, Stage[]> => {
    const readers = new Map<StageState, Stage[]>();
    for (const reader of stages) {
      for (const producer of new Set(inputTensors(reader.op).map((tensor) => byOp.get(tensor.op)!))) {
        const known = readers.get(producer);
        if (known === undefined) readers.set(producer, [handle(reader)]);
        else known.push(handle(reader));
      }
    }
    return readers;
  };
  return {
    of: (state) => (table ??= made()).get(state) ?? [],
    forget: () => {
      table = null;
    },
  };
}

function makeStage(cx: Internal, state: StageState): Stage {
  const record = (call: string, results: readonly IterVar[] = []): void => {
    const made = results.length > 0 ? ` -> ${results.map((iter) => iter.variable.name).join(", ")}` : "";
    cx.trace.push(`s[${state.label}].${call}${made}`);
  };
  const compute = (): ComputeOp => {
    invariant(state.op.kind === "compute", `${state.label} is no compute: it has no axes`);
    return state.op;
  };
  const split = (iter: IterVar, by: SplitBy): readonly [IterVar, IterVar] => {
    const pair = splitAxis(state, iter, by);
    record(
      `split(${iter.variable.name}, ${"factor" in by ? `factor=${by.factor}` : `nparts=${by.nparts}`})`,
      pair,
    );
    return pair;
  };
  const reorder = (...iters: readonly IterVar[]): void => {
    reorderAxes(state, iters);
    record(`reorder(${iters.map((iter) => iter.variable.name).join(", ")})`);
  };
  return {
    state,
    get op() {
      return state.op;
    },
    label: state.label,
    isOutput: state.isOutput,
    get axis() {
      return compute().axis;
    },
    get reduceAxis() {
      return compute().reduceAxis;
    },
    get leafIters() {
      return state.leafIters;
    },
    split,
    fuse: (...iters) => {
      const fused = fuseAxes(state, iters);
      record(`fuse(${iters.map((iter) => iter.variable.name).join(", ")})`, [fused]);
      return fused;
    },
    reorder,
    tile: (x, y, xFactor, yFactor) => {
      const [xOuter, xInner] = split(x, { factor: xFactor });
      const [yOuter, yInner] = split(y, { factor: yFactor });
      reorder(xOuter, yOuter, xInner, yInner);
      return [xOuter, yOuter, xInner, yInner];
    },
    ...placement(state, compute, record),
    ...marks(state, record),
  };
}

type Recorder = (call: string, results?: readonly IterVar[]) => void;

/** Where the stage is computed. */
function placement(
  state: StageState,
  compute: () => ComputeOp,
  record: Recorder,
): Pick<Stage, "computeAt" | "computeInline" | "computeRoot" | "setScope"> {
  return {
    computeAt: (parent, iter) => {
      invariant(!state.isOutput, `${state.label} is an output: it is computed at the root`);
      positionOf(parent.state, iter);
      state.attach = { kind: "scope", stage: parent.state, iter };
      record(`compute_at(s[${parent.label}], ${iter.variable.name})`);
    },
    computeInline: () => {
      const op = compute();
      invariant(!state.isOutput, `${state.label} is an output: it cannot be inlined`);
      invariant(
        op.body.length === 1 && op.body[0]!.kind !== "reduce",
        `${state.label} has a reduction or several outputs: it cannot be inlined`,
      );
      state.attach = { kind: "inline" };
      record("compute_inline()");
    },
    computeRoot: () => {
      state.attach = { kind: "root" };
      record("compute_root()");
    },
    setScope: (scope) => {
      state.scope = scope;
      record(`set_scope("${scope}")`);
    },
  };
}

/** How its loops run. */
function marks(
  state: StageState,
  record: Recorder,
): Pick<Stage, "vectorize" | "unroll" | "parallel" | "pragma"> {
  const mark = (iter: IterVar, forKind: ForKind, word: string): void => {
    positionOf(state, iter);
    setAttr(state, iter, (attr) => ({ ...attr, forKind }));
    record(`${word}(${iter.variable.name})`);
  };
  return {
    vectorize: (iter) => mark(iter, "vectorized", "vectorize"),
    unroll: (iter) => mark(iter, "unrolled", "unroll"),
    parallel: (iter) => mark(iter, "parallel", "parallel"),
    pragma: (iter, key, value = 1) => {
      positionOf(state, iter);
      setAttr(state, iter, (attr) => ({ ...attr, pragmas: [...attr.pragmas, [key, intImm(value)]] }));
      record(`pragma(${iter.variable.name}, "${key}", ${value})`);
    },
  };
}

function setAttr(state: StageState, iter: IterVar, change: (attr: IterAttr) => IterAttr): void {
  state.attrs.set(iter, change(state.attrs.get(iter) ?? { forKind: "serial", pragmas: [] }));
}

function positionOf(state: StageState, iter: IterVar): number {
  const at = state.leafIters.indexOf(iter);
  if (at >= 0) return at;
  const why = state.allIters.includes(iter) ? "was split or fused before" : "is no axis of this stage";
  invariant(false, `axis ${iter.variable.name} of ${state.label} ${why}`);
}

function derivedIter(name: string, kind: IterVar["kind"], like: IterVar, extent: PrimExpr): IterVar {
  return { kind, variable: tirVar(name, like.variable.dtype), min: intImm(0, like.variable.dtype), extent };
}

function splitAxis(state: StageState, parent: IterVar, by: SplitBy): readonly [IterVar, IterVar] {
  const at = positionOf(state, parent);
  const amount = "factor" in by ? by.factor : by.nparts;
  invariant(Number.isInteger(amount) && amount >= 1, `split of ${parent.variable.name} by ${amount}`);
  const size = nominal(parent.extent, amount);
  const count = floorDiv(add(parent.extent, amount - 1), amount);
  const name = parent.variable.name;
  const outer = derivedIter(`${name}.outer`, parent.kind, parent, "factor" in by ? count : size);
  const inner = derivedIter(`${name}.inner`, parent.kind, parent, "factor" in by ? size : count);
  state.relations.push({
    kind: "split",
    parent,
    outer,
    inner,
    factor: "factor" in by ? amount : null,
    nparts: "nparts" in by ? amount : null,
  });
  state.allIters.push(outer, inner);
  state.leafIters.splice(at, 1, outer, inner);
  return [outer, inner];
}

/** A split loop is never longer than its axis. */
function nominal(extent: PrimExpr, amount: number): PrimExpr {
  const known = constInt(extent);
  return known === null ? intImm(amount, extent.dtype) : intImm(Math.min(known, amount), extent.dtype);
}

function fuseAxes(state: StageState, iters: readonly IterVar[]): IterVar {
  if (iters.length === 0) {
    const iter: IterVar = {
      kind: "data-par",
      variable: tirVar("singleton"),
      min: intImm(0),
      extent: intImm(1),
    };
    state.relations.push({ kind: "singleton", iter });
    state.allIters.push(iter);
    state.leafIters.unshift(iter);
    return iter;
  }
  return iters.slice(1).reduce((outer, inner) => fusePair(state, outer, inner), iters[0]!);
}

function fusePair(state: StageState, outer: IterVar, inner: IterVar): IterVar {
  const at = positionOf(state, outer);
  invariant(
    positionOf(state, inner) === at + 1,
    `${outer.variable.name} and ${inner.variable.name} of ${state.label} are not neighbours, so they cannot be fused`,
  );
  const kind = outer.kind === "reduce" || inner.kind === "reduce" ? "reduce" : outer.kind;
  invariant(
    outer.kind === inner.kind,
    `${outer.variable.name} and ${inner.variable.name} of ${state.label}: a reduction axis cannot be fused with a data axis`,
  );
  const fused = derivedIter(
    `${outer.variable.name}.${inner.variable.name}.fused`,
    kind,
    outer,
    mul(outer.extent, inner.extent),
  );
  state.relations.push({ kind: "fuse", outer, inner, fused });
  state.allIters.push(fused);
  state.leafIters.splice(at, 2, fused);
  return fused;
}

function reorderAxes(state: StageState, iters: readonly IterVar[]): void {
  invariant(new Set(iters).size === iters.length, `reorder of ${state.label} names an axis twice`);
  const places = iters.map((iter) => positionOf(state, iter)).sort((a, b) => a - b);
  const leaf = [...state.leafIters];
  places.forEach((place, i) => {
    leaf[place] = iters[i]!;
  });
  state.leafIters = leaf;
}
