// Shapes that are dynamic when importing. A dimension is a number or the place to read it from; what can be
// said with one dynamic dimension stays static (-1), the rest becomes Relay's dyn operators, as TVM's
// importer makes them.
import { int64 } from "../../ir/dtype.ts";
import { staticShape, type Dim } from "../../ir/type.ts";
import type { Expr } from "../../relay/expr.ts";
import { concatenate } from "./arithmetic.ts";
import { dimsOf, typeOf } from "../import-node.ts";
import { numbersOf } from "../values.ts";
import { call, cast, dtypeOf, int64sOf, known, reshape, type OnnxNode } from "./graph.ts";

/** A dimension: its number, or where it stands. */
export type Extent = number | { readonly of: Expr; readonly axis: number };

export function extentsOf(n: OnnxNode, expr: Expr): readonly Extent[] {
  return dimsOf(n, expr).map((dim, axis) => (typeof dim === "number" ? dim : { of: expr, axis }));
}

export const isStatic = (n: OnnxNode, expr: Expr): boolean => staticShape(typeOf(n, expr)) !== null;

/** The shape as an int64 vector, a constant where it is known. */
export function shapeVector(n: OnnxNode, expr: Expr): Expr {
  return call(n, "shape_of", [expr], { dtype: "int64" });
}

/** `extents` as an int64 vector. */
export function vectorOf(n: OnnxNode, extents: readonly Extent[]): Expr {
  const parts: Expr[] = [];
  let run: number[] = [];
  const flush = (): void => {
    if (run.length > 0) parts.push(int64sOf(n, run));
    run = [];
  };
  for (const extent of extents) {
    if (typeof extent === "number") {
      run.push(extent);
      continue;
    }
    flush();
    parts.push(
      call(n, "strided_slice", [shapeVector(n, extent.of)], {
        begin: [extent.axis],
        end: [extent.axis + 1],
        strides: [1],
        slice_mode: "end",
        axes: [0],
      }),
    );
  }
  flush();
  return parts.length === 0 ? int64sOf(n, []) : concatenate(n, parts, 0);
}

/** `expr` with another shape: static with at most one dynamic extent, else by a vector. */
export function reshapeTo(n: OnnxNode, expr: Expr, extents: readonly Extent[]): Expr {
  if (extents.every((extent) => typeof extent === "number")) return reshape(n, expr, extents);
  const dynamic = extents.filter((extent) => typeof extent !== "number");
  if (dynamic.length === 1 && !extents.includes(0))
    return call(n, "reshape", [expr], {
      newshape: extents.map((extent) => (typeof extent === "number" ? extent : -1)),
    });
  return call(n, "dyn.reshape", [expr, vectorOf(n, extents)]);
}

/** Zeros of `dtype`, their shape known or not. */
export function zerosOf(n: OnnxNode, extents: readonly Extent[], like: Expr): Expr {
  const dtype = dtypeOf(n, like).name;
  if (extents.every((extent) => typeof extent === "number"))
    return call(n, "zeros", [], { shape: extents, dtype });
  return call(n, "dyn.zeros", [vectorOf(n, extents)], { dtype });
}

/** `expr` broadcast to the shape that `shape` holds. */
export function dynBroadcastTo(n: OnnxNode, expr: Expr, shape: Expr): Expr {
  return call(n, "dyn.broadcast_to", [expr, shape]);
}

/** The extent that two aligned ones broadcast to: what is not 1. Two dynamic ones are taken to agree. */
export function broadcastExtent(a: Extent | undefined, b: Extent | undefined): Extent {
  if (a === undefined || a === 1) return b ?? 1;
  if (b === undefined || b === 1) return a;
  return typeof a === "number" ? a : b;
}

/**
 * What is known of a vector of integers: numbers where they are, null elsewhere. Null as a whole where
 * nothing is.
 */
export function partly(n: OnnxNode, expr: Expr): readonly (number | null)[] | null {
  return placesOf(n, expr)?.map((place) => (typeof place === "number" ? place : null)) ?? null;
}

/**
 * Each element of a vector of integers: its number, the dimension that it was read from, or null; null as a
 * whole where nothing is known. A chain of shape, slices and concatenations keeps what its parts know, if it
 * has at most `steps` links.
 */
export function placesOf(n: OnnxNode, expr: Expr, steps = 100): readonly (Extent | null)[] | null {
  if (steps === 0) return null;
  const value = known(n, expr);
  if (value !== null) return value.shape.length <= 1 ? numbersOf(value) : null;
  if (expr.kind !== "call" || expr.callee.kind !== "op") return null;
  const { attrs } = expr;
  const [first, second] = expr.args;
  if (first === undefined) return null;
  switch (expr.callee.name) {
    case "shape_of": {
      const { type } = first;
      return type?.kind === "tensor-type"
        ? type.shape.map((dim: Dim, axis) => (typeof dim === "number" ? dim : { of: first, axis }))
        : null;
    }
    case "cast":
    case "expand_dims":
    case "squeeze":
    case "reshape":
      return isVector(n, expr) ? placesOf(n, first, steps - 1) : null;
    case "concatenate": {
      if (first.kind !== "tuple") return null;
      const parts = first.fields
        .map((field) => placesOf(n, field, steps - 1))
        .filter((part) => part !== null);
      return parts.length < first.fields.length ? null : parts.flat();
    }
    case "take": {
      const from = placesOf(n, first, steps - 1);
      const indices = second === undefined ? null : known(n, second);
      return from === null || indices === null || indices.shape.length > 1
        ? null
        : numbersOf(indices).map((i) => from[i] ?? null);
    }
    case "strided_slice": {
      const from = placesOf(n, first, steps - 1);
      const setting = (name: string): number => {
        const list = attrs[name];
        return Number(Array.isArray(list) ? (list[0] ?? 1) : 1);
      };
      return from === null || setting("strides") !== 1 ? null : from.slice(setting("begin"), setting("end"));
    }
    default:
      return null;
  }
}

function isVector(n: OnnxNode, expr: Expr): boolean {
  return dimsOf(n, expr).length <= 1;
}

/** The first `count` (a vector of one integer) elements along the first axis. */
export function firstOf(n: OnnxNode, expr: Expr, count: Expr): Expr {
  return call(n, "dyn.strided_slice", [expr, int64sOf(n, [0]), asInt64(n, count), int64sOf(n, [1])], {
    slice_mode: "end",
  });
}

/** An int64 vector of the integers that `expr` holds. */
export const asInt64 = (n: OnnxNode, expr: Expr): Expr => cast(n, expr, int64);
