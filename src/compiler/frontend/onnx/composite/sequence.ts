// Sequences are lists kept by the importer: the compiled program has tensors only. Positions and lengths must
// be known.
import { mostRounds } from "../../../limits.ts";
import { within } from "../../within.ts";
import { bool, int64 } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { concatenate, sliceAxis, squeeze, stack } from "../arithmetic.ts";
import { rankOf, refuse, scalarOf, extentOf, listed, single } from "../../import-node.ts";
import {
  allInputs,
  axisIn,
  graphOf,
  input,
  int,
  intsOf,
  optional,
  type Importer,
  type OnnxNode,
  type Sequence,
  type Value,
  numberOf,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";

const sequence = (items: readonly Expr[]): Sequence => ({ kind: "sequence", items });

function sequenceAt(n: OnnxNode, index: number): readonly Expr[] {
  const value = n.inputs[index] ?? null;
  return value?.kind === "sequence" ? value.items : refuse(n, `input ${index} is no sequence`);
}

/** The position by input `index`, or `otherwise`; `most` is the greatest that is allowed. */
function positionOf(n: OnnxNode, index: number, length: number, otherwise: number): number {
  const given = optional(n, index);
  if (given === null) return otherwise;
  const position = numberOf(n, given, "the position");
  return position < 0 ? position + length : position;
}

const insert: Importer = (n) => {
  const items = sequenceAt(n, 0);
  const at = positionOf(n, 2, items.length, items.length);
  return sequence([...items.slice(0, at), input(n, 1), ...items.slice(at)]);
};

const erase: Importer = (n) => {
  const items = sequenceAt(n, 0);
  const at = positionOf(n, 1, items.length, items.length - 1);
  return sequence(items.filter((_, i) => i !== at));
};

const at: Importer = (n) => {
  const items = sequenceAt(n, 0);
  const position = positionOf(n, 1, items.length, 0);
  return (
    items[position] ??
    refuse(n, "the sequence is too short", { expected: `fewer than ${items.length}`, got: String(position) })
  );
};

const concat: Importer = (n) => {
  const items = sequenceAt(n, 0);
  const rank = rankOf(n, items[0] ?? refuse(n, "the sequence is empty"));
  if (int(n, "new_axis", 0) !== 0) return stack(n, items, axisIn(n, int(n, "axis", 0), rank + 1));
  return concatenate(n, items, axisIn(n, int(n, "axis", 0), rank));
};

/**
 * Parts of one element without the axis (keepdims=0), of `split` elements each, or of the sizes that split
 * lists.
 */
const split: Importer = (n) => {
  const data = input(n, 0);
  const axis = axisIn(n, int(n, "axis", 0), rankOf(n, data));
  const extent = extentOf(n, data, axis);
  const second = optional(n, 1);
  const given = second === null ? [1] : intsOf(n, second, "the split");
  const sizes =
    second === null || rankOf(n, second) === 0 ? chunks(extent, single(n, given, "the split")) : given;
  const drop = second === null && int(n, "keepdims", 1) === 0;
  let from = 0;
  return sequence(
    sizes.map((size) => {
      const part = sliceAxis(n, data, axis, [from, from + size]);
      from += size;
      return drop ? squeeze(n, part, [axis]) : part;
    }),
  );
};

/** `extent` in parts of `size`, the last one shorter. */
function chunks(extent: number, size: number): readonly number[] {
  return Array.from({ length: Math.ceil(extent / size) }, (_, i) => Math.min(size, extent - i * size));
}

/** The body once an element; inputs that are tensors stay the same. */
const map: Importer = (n) => {
  const { length } = sequenceAt(n, 0);
  within(n, length, {
    most: mostRounds,
    what: "elements, for each of which the body is written out",
    hint: "run the model over fewer of them",
  });
  const body = graphOf(n, "body");
  const element = (value: Value | null, i: number): Value =>
    value?.kind === "sequence"
      ? listed(n, value.items, i, "elements of a sequence")
      : (value ?? refuse(n, "an input is missing"));
  const rounds = Array.from({ length }, (_, i) =>
    n.graph(
      body,
      n.inputs.map((value) => element(value, i)),
    ),
  );
  return body.output.map((_, out) =>
    sequence(
      rounds.map((round) => {
        const value = listed(n, round, out, "outputs of the body");
        return value.kind === "sequence" ? refuse(n, "the body gives a sequence") : value;
      }),
    ),
  );
};

/** An optional that holds something is that something. */
const hasElement: Importer = (n) => scalarOf(n, bool, (n.inputs[0] ?? null) === null ? 0 : 1);
const getElement: Importer = (n) => n.inputs[0] ?? refuse(n, "the optional is empty");

export const sequenceOps: readonly OnnxOp[] = [
  onnxOp("SequenceConstruct", (n) => sequence(allInputs(n))),
  onnxOp("SequenceEmpty", () => sequence([])),
  onnxOp("SequenceInsert", insert, { values: [2] }),
  onnxOp("SequenceErase", erase, { values: [1] }),
  onnxOp("SequenceAt", at, { values: [1] }),
  onnxOp("SequenceLength", (n) => scalarOf(n, int64, sequenceAt(n, 0).length)),
  onnxOp("ConcatFromSequence", concat),
  onnxOp("SplitToSequence", split, { values: [1] }),
  onnxOp("SequenceMap", map),
  onnxOp("Optional", (n) => n.inputs[0] ?? refuse(n, "an empty optional has no value")),
  onnxOp("OptionalHasElement", hasElement),
  onnxOp("OptionalGetElement", getElement),
];
