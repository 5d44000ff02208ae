// The new shape that reshape's numbers and special values mean.  TVM: src/relay/op/tensor/transform.cc
// (InferNewShape)
import { at } from "../../../support/assert.ts";
import { anyDim, printDim, type Dim } from "../../ir/type.ts";
import { productDim, type Asker } from "../_shared/type-helpers.ts";

interface State {
  readonly from: readonly Dim[];
  next: number;
  readonly shape: Dim[];
  /** Dimensions of `from`, and of `shape`, that are accounted for and take no part in a -1. */
  readonly usedFrom: Set<number>;
  readonly usedTo: Set<number>;
  inferred: number;
}

/**
 * 0 keeps a dimension, -1 is what is left (once), -2 keeps all that remain, -3 joins two, -4 splits one into
 * the two numbers after it. null after reporting.
 */
export function newShape(cx: Asker, from: readonly Dim[], wanted: readonly number[]): Dim[] | null {
  const state: State = { from, next: 0, shape: [], usedFrom: new Set(), usedTo: new Set(), inferred: -1 };
  for (let i = 0; i < wanted.length; i++) {
    const value = at(wanted, i, "dimension");
    if (value === -4) {
      if (!splitDim(cx, state, wanted[i + 1], wanted[i + 2])) return null;
      i += 2;
    } else if (!placeDim(cx, state, value)) return null;
  }
  if (state.inferred >= 0) {
    const rest = productDim(from.filter((_, i) => !state.usedFrom.has(i)));
    const others = productDim(state.shape.filter((_, i) => i !== state.inferred && !state.usedTo.has(i)));
    state.shape[state.inferred] =
      typeof rest === "number" && typeof others === "number" && others > 0
        ? Math.floor(rest / others)
        : anyDim;
    if (others === 1) state.shape[state.inferred] = rest;
  }
  return sameCount(cx, state, wanted) ? state.shape : null;
}

function placeDim(cx: Asker, state: State, value: number): boolean {
  if (value > 0) {
    state.shape.push(value);
    state.next++;
    return true;
  }
  if (value === -1) {
    if (state.inferred >= 0)
      return refuse(
        cx,
        "attribute `newshape` has more than one -1",
        "at most one dimension left to infer",
        state,
      );
    state.inferred = state.shape.length;
    state.shape.push(1);
    state.next++;
    return true;
  }
  if (value === -2) {
    while (state.next < state.from.length) keepDim(state);
    return true;
  }
  const needed = value === -3 ? 2 : 1;
  if (value !== 0 && value !== -3)
    return refuse(
      cx,
      `attribute \`newshape\` holds ${value}`,
      "0, -1, -2, -3, -4 or a positive number",
      state,
    );
  if (state.next + needed > state.from.length) {
    return refuse(
      cx,
      `a ${value} in \`newshape\` has no dimension of \`data\` left to take`,
      `at least ${state.next + needed} dimensions`,
      state,
    );
  }
  if (value === 0) {
    keepDim(state);
    return true;
  }
  state.usedFrom.add(state.next).add(state.next + 1);
  state.usedTo.add(state.shape.length);
  state.shape.push(productDim(state.from.slice(state.next, state.next + 2)));
  state.next += 2;
  return true;
}

function keepDim(state: State): void {
  state.usedFrom.add(state.next);
  state.usedTo.add(state.shape.length);
  state.shape.push(at(state.from, state.next++, "input axis"));
}

function splitDim(cx: Asker, state: State, first: number | undefined, second: number | undefined): boolean {
  if (first === undefined || second === undefined)
    return refuse(cx, "a -4 in `newshape` is not followed by two numbers", "-4, then the two parts", state);
  if (first === -1 && second === -1)
    return refuse(cx, "both parts after a -4 in `newshape` are -1", "at most one part left to infer", state);
  if (state.next >= state.from.length)
    return refuse(
      cx,
      "a -4 in `newshape` has no dimension of `data` left to split",
      `at least ${state.next + 1} dimensions`,
      state,
    );
  const whole = at(state.from, state.next, "input axis");
  const part = (given: number, other: number): Dim =>
    given !== -1 ? given : typeof whole === "number" ? Math.floor(whole / other) : anyDim;
  const parts = [part(first, second), part(second, first)];
  if (typeof whole === "number" && productDim(parts) !== whole) {
    return refuse(
      cx,
      `dimension ${whole} cannot be split into ${first} and ${second}`,
      `two parts whose product is ${whole}`,
      state,
    );
  }
  state.usedFrom.add(state.next++);
  state.usedTo.add(state.shape.length).add(state.shape.length + 1);
  state.shape.push(...parts);
  return true;
}

function sameCount(cx: Asker, state: State, wanted: readonly number[]): boolean {
  const before = productDim(state.from);
  const after = productDim(state.shape);
  if (typeof before !== "number" || typeof after !== "number" || before === after) return true;
  cx.t.error("RS2109", `${cx.op}: the new shape does not hold the elements of \`data\``, {
    expected: `${before} elements, those of (${state.from.map(printDim).join(", ")})`,
    got: `${after}: newshape=[${wanted.join(", ")}] gives (${state.shape.map(printDim).join(", ")})`,
  });
  return false;
}

function refuse(cx: Asker, message: string, expected: string, state: State): false {
  cx.t.error("RS2109", `${cx.op}: ${message}`, {
    expected,
    got: `data of shape (${state.from.map(printDim).join(", ")})`,
    hint: "0 keeps a dimension, -1 is what is left, -2 keeps all that remain, -3 joins two, -4 splits one into the two numbers after it",
  });
  return false;
}
