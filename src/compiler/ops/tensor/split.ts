// A tensor in pieces along an axis.  TVM: src/relay/op/tensor/transform.cc (SplitRel)
import { knownInt } from "../../tir/build.ts";
import { present, at } from "../../../support/assert.ts";
import { anyAttr, int, type AttrValue } from "../../ir/attrs.ts";
import {
  anyDim,
  printDim,
  tensorType,
  tupleType,
  type Dim,
  type TensorType,
  type TupleType,
} from "../../ir/type.ts";
import { split as splitCompute } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { maxTupleFields } from "../../limits.ts";
import { defineOp } from "../define.ts";
import { splitShape } from "../_shape-funcs/transform.ts";
import { asker, axisArg, tensorArg, type Asker } from "../_shared/type-helpers.ts";

/** Where the pieces begin after the first, or how many equal pieces there are. */
type Pieces = { readonly count: number } | { readonly at: readonly number[] };

function piecesOf(value: AttrValue): Pieces | null {
  if (typeof value === "number" || typeof value === "bigint") return { count: Number(value) };
  if (!Array.isArray(value)) return null;
  const place = (value as readonly AttrValue[]).map((one) =>
    typeof one === "number" || typeof one === "bigint" ? Number(one) : NaN,
  );
  return place.some(Number.isNaN) ? null : { at: place };
}

function piecesGiven(attrs: {
  readonly axis: number;
  readonly indices_or_sections: AttrValue;
}): number | readonly number[] {
  const pieces = present(piecesOf(attrs.indices_or_sections), "piece");
  return "count" in pieces ? pieces.count : pieces.at;
}

function equalPieces(cx: Asker, dim: Dim, count: number): Dim[] | null {
  // Told before any is made: 0 elements are divisible by everything.
  if (count > maxTupleFields)
    return cx.t.error("RS2108", "split: attribute `indices_or_sections` is not usable", {
      expected: `at most ${maxTupleFields} pieces`,
      got: String(count),
      hint: "Split in two steps, or take the pieces that are used with strided_slice.",
    });
  if (count >= 1 && (typeof dim !== "number" || dim % count === 0))
    return Array.from({ length: count }, () => (typeof dim === "number" ? dim / count : anyDim));
  return cx.t.error("RS2105", "split: the axis cannot be divided into equal pieces", {
    expected: `a number that divides ${printDim(dim)}`,
    got: String(count),
  });
}

function piecesAt(cx: Asker, dim: Dim, place: readonly number[]): Dim[] | null {
  const ends: Dim[] = [...place, dim];
  const sizes: Dim[] = [];
  for (const [i, end] of ends.entries()) {
    const begin = i === 0 ? 0 : at(place, i - 1, "split position");
    if (typeof end === "number" && end <= begin) {
      return cx.t.error("RS2105", "split: attribute `indices_or_sections` is not usable", {
        expected: `ascending positions between 0 and ${printDim(dim)}, both excluded`,
        got: `[${place.join(", ")}]`,
      });
    }
    sizes.push(typeof end === "number" ? end - begin : anyDim);
  }
  return sizes;
}

function pieceTypes(type: TensorType, axis: number, sizes: readonly Dim[]): TupleType {
  return tupleType(
    sizes.map((size) =>
      tensorType(
        type.shape.map((dim, i) => (i === axis ? size : dim)),
        type.dtype,
      ),
    ),
  );
}

export const split = defineOp({
  name: "split",
  inputs: ["data"],
  attrs: {
    indices_or_sections: anyAttr({
      doc: "How many equal pieces, or a list of the positions where pieces begin after the first.",
    }),
    axis: int({ default: 0, doc: "Axis along which the tensor is cut." }),
  },
  attrsKey: "relay.attrs.SplitAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "split");
    const type = tensorArg(cx, "data", data);
    if (type === null) return null;
    const axis = axisArg(cx, attrs.axis, type.shape.length);
    if (axis === null) return null;
    const pieces = piecesOf(attrs.indices_or_sections);
    if (pieces === null) {
      return t.error("RS2112", "split: attribute `indices_or_sections` is missing", {
        expected: "a number of pieces, or a list of positions",
        got: attrs.indices_or_sections === null ? "nothing" : String(attrs.indices_or_sections),
      });
    }
    const sizes =
      "count" in pieces
        ? equalPieces(cx, at(type.shape, axis, "input axis"), pieces.count)
        : piecesAt(cx, at(type.shape, axis, "input axis"), pieces.at);
    return sizes === null ? null : pieceTypes(type, axis, sizes);
  },
  compute: ({ data }, attrs, cx) => {
    const axis = attrs.axis < 0 ? attrs.axis + data.shape.length : attrs.axis;
    const pieces = present(piecesOf(attrs.indices_or_sections), "piece");
    const extent = knownInt(at(data.shape, axis, "data axis"));
    const begins =
      "count" in pieces
        ? Array.from({ length: pieces.count }, (_, i) => (i * extent) / pieces.count)
        : [0, ...pieces.at];
    return splitCompute(data, begins, axis, cx.origin);
  },
  shapeFunc: splitShape(piecesGiven),
  schedule: injectiveRecipe,
  doc: "Cuts a tensor along `axis` into a tuple of tensors: a number of equal pieces, or pieces that begin at the given positions.",
  examples: [
    { name: "equal", args: ["Tensor[(2, 6), float32]"], attrs: { indices_or_sections: 3, axis: 1 } },
    { name: "positions", args: ["Tensor[(7, 2), float32]"], attrs: { indices_or_sections: [1, 4] } },
  ],
});
