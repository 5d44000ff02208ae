// Data layouts such as "NCHW", "HWIO", "NCHW8c": axis letters in memory order; a lower-case letter with a
// factor is the inner part of a split axis.  TVM: include/tvm/tir/data_layout.h, src/tir/ir/data_layout.cc
import { present } from "../../support/assert.ts";
import { anyDim, type Dim } from "./type.ts";

interface LayoutAxis {
  /** Upper-case letter of the primal axis it belongs to. */
  readonly letter: string;
  /** Size of the inner part for a lower-case axis; null for the primal axis itself. */
  readonly factor: number | null;
}

export interface Layout {
  readonly name: string;
  readonly axes: readonly LayoutAxis[];
}

/**
 * Reads `text`, or null if it is no layout: unknown characters, an axis twice, a split part without its
 * primal axis.
 */
export function parseLayout(text: string): Layout | null {
  const axes: LayoutAxis[] = [];
  const pattern = /([A-Z])|(\d+)([a-z])/gy;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return null;
    const factor = match[1] === undefined ? Number(match[2]) : null;
    if (factor === 0) return null;
    axes.push({ letter: match[1] ?? match[3]!.toUpperCase(), factor });
  }
  const primal = axes.filter((axis) => axis.factor === null).map((axis) => axis.letter);
  const inner = axes.filter((axis) => axis.factor !== null).map((axis) => axis.letter);
  if (axes.length === 0 || new Set(primal).size !== primal.length || new Set(inner).size !== inner.length)
    return null;
  return inner.every((letter) => primal.includes(letter)) ? { name: text, axes } : null;
}

/**
 * The layout of an attribute that was checked: it has exactly the primal axes of `plain` where that is given.
 */
export function knownLayout(text: string, plain?: string): Layout {
  const layout = plain === undefined ? parseLayout(text) : convertibleLayout(text, plain);
  return present(layout, `layout "${text}"`);
}

/** Position of the primal axis `letter`, or -1. */
export function axisOf(layout: Layout, letter: string): number {
  return layout.axes.findIndex((axis) => axis.letter === letter && axis.factor === null);
}

/** Whether the axis `letter` has an inner part (NCHW8c splits C). */
export function isSplit(layout: Layout, letter: string): boolean {
  return layout.axes.some((axis) => axis.letter === letter && axis.factor !== null);
}

/** `layout` if it holds exactly the primal axes of `plain` (any order, any splits), else null. */
export function convertibleLayout(text: string, plain: string): Layout | null {
  const layout = parseLayout(text);
  if (layout === null) return null;
  const letters = layout.axes.filter((axis) => axis.factor === null).map((axis) => axis.letter);
  return letters.length === plain.length && letters.every((letter) => plain.includes(letter)) ? layout : null;
}

/**
 * The extents of `plain`'s axes of a tensor stored with `shape` in `layout`: BijectiveLayout's forward shape.
 */
export function toPlainShape(shape: readonly Dim[], layout: Layout, plain: string): Dim[] {
  return plain.split("").map((letter) => {
    const outer = shape[axisOf(layout, letter)] ?? anyDim;
    const inner = layout.axes.find((axis) => axis.letter === letter && axis.factor !== null);
    if (inner === undefined) return outer;
    return typeof outer === "number" ? outer * inner.factor! : anyDim;
  });
}

/**
 * The stored shape of a tensor whose `plain` axes have the extents `dims`: BijectiveLayout's backward shape.
 */
export function fromPlainShape(dims: readonly Dim[], layout: Layout, plain: string): Dim[] {
  return layout.axes.map((axis) => {
    if (axis.factor !== null) return axis.factor;
    const dim = dims[plain.indexOf(axis.letter)] ?? anyDim;
    const inner = layout.axes.find((other) => other.letter === axis.letter && other.factor !== null);
    if (inner === undefined) return dim;
    return typeof dim === "number" ? Math.floor(dim / inner.factor!) : anyDim;
  });
}
