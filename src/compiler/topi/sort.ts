// Stable sorting along an axis: a bottom-up merge sort of positions.  TVM: src/runtime/contrib/sort/sort.cc
// (std::stable_sort)
import { at, only } from "../../support/assert.ts";
import { int32, type DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  allocate,
  buffer,
  cast,
  falseImm,
  ge,
  gt,
  ifStmt,
  ifThenElse,
  intImm,
  load,
  lt,
  min,
  mul,
  seq,
  store,
  sub,
  trueImm,
  knownInt,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { loop, nest } from "./extern-loops.ts";

export interface SortOutput {
  readonly what: "values" | "indices";
  readonly dtype: DType;
}

interface SortSpec {
  readonly axis: number;
  readonly ascending: boolean;
  /** How many elements of the sorted axis are kept. */
  readonly count: number;
  readonly outputs: readonly SortOutput[];
  readonly name: string;
}

/**
 * Positions of the `count` first elements of `x` in order along the axis; equal elements keep their order.
 */
export function sortedPositions(x: Tensor, spec: Omit<SortSpec, "outputs">, origin: Origin): Tensor {
  const outputs: readonly SortOutput[] = [{ what: "indices", dtype: int32 }];
  return only(sort(x, { ...spec, outputs }, origin), "output");
}

/**
 * Sorted elements of `x`, or their positions, or both; equal elements keep their order. The axis' extent is
 * known.
 */
export function sort(x: Tensor, spec: SortSpec, origin: Origin): readonly Tensor[] {
  const shape = x.shape.map((extent, i) => (i === spec.axis ? intImm(spec.count) : extent));
  return extern(
    [x],
    spec.outputs.map((out) => ({ shape, dtype: out.dtype })),
    ([from], outs) => {
      const extent = knownInt(at(from.shape, spec.axis, "input axis"));
      const positions = buffer("positions", int32, [extent], "global");
      const merged = buffer("merged", int32, [extent], "global");
      const cursor = buffer("cursor", int32, [2], "global");
      const others = from.shape.filter((_, i) => i !== spec.axis);
      const body = nest(others, origin, (outer) => {
        const place = (k: PrimExpr): PrimExpr[] => [
          ...outer.slice(0, spec.axis),
          k,
          ...outer.slice(spec.axis),
        ];
        const steps: Stmt[] = [loop(intImm(extent), "k", origin, (k) => store(positions, [k], k, origin))];
        let [source, target] = [positions, merged];
        for (let width = 1; width < extent; width *= 2) {
          steps.push(
            mergePass({
              from,
              source,
              target,
              cursor,
              extent,
              width,
              ascending: spec.ascending,
              at: place,
              origin,
            }),
          );
          [source, target] = [target, source];
        }
        steps.push(
          loop(intImm(spec.count), "k", origin, (k) =>
            seq(
              spec.outputs.map((out, i) => {
                const position = load(source, [k]);
                return store(
                  at(outs, i, "output"),
                  place(k),
                  out.what === "indices" ? cast(position, out.dtype) : load(from, place(position)),
                  origin,
                );
              }),
              origin,
            ),
          ),
        );
        return seq(steps, origin);
      });
      return allocate(positions, allocate(merged, allocate(cursor, body, origin), origin), origin);
    },
    { name: spec.name, origin },
  );
}

interface MergePass {
  readonly from: Buffer;
  readonly source: Buffer;
  readonly target: Buffer;
  /** Next position of the left and of the right run. */
  readonly cursor: Buffer;
  readonly extent: number;
  readonly width: number;
  readonly ascending: boolean;
  readonly at: (k: PrimExpr) => PrimExpr[];
  readonly origin: Origin;
}

/** Merges neighbouring sorted runs of `width` positions into runs of twice that. */
function mergePass(pass: MergePass): Stmt {
  const { origin, extent, width } = pass;
  const runs = Math.ceil(extent / (2 * width));
  return loop(intImm(runs), "run", origin, (run) => {
    const low = mul(run, 2 * width);
    const middle = min(add(low, width), extent);
    const high = min(add(low, 2 * width), extent);
    const left = load(pass.cursor, [intImm(0)]);
    const right = load(pass.cursor, [intImm(1)]);
    const element = (position: PrimExpr): PrimExpr => load(pass.from, pass.at(load(pass.source, [position])));
    const before = pass.ascending ? lt(element(right), element(left)) : gt(element(right), element(left));
    // Only the taken branch may read: the cursors may stand behind their runs.
    const takeRight = ifThenElse(ge(right, high), falseImm, ifThenElse(ge(left, middle), trueImm, before));
    const take = (from: PrimExpr, which: number, k: PrimExpr): Stmt =>
      seq(
        [
          store(pass.target, [add(low, k)], load(pass.source, [from]), origin),
          store(pass.cursor, [intImm(which)], add(from, 1), origin),
        ],
        origin,
      );
    return seq(
      [
        store(pass.cursor, [intImm(0)], low, origin),
        store(pass.cursor, [intImm(1)], middle, origin),
        loop(sub(high, low), "k", origin, (k) =>
          ifStmt(takeRight, take(right, 1, k), take(left, 0, k), origin),
        ),
      ],
      origin,
    );
  });
}
