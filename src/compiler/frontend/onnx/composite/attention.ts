// Attention of opset 23, and what came with it. TVM 0.8 knows none of them; they are written out in operators
// that it has.
import { bool, float32, isFloat } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import {
  add,
  concatenate,
  divide,
  exp,
  expandDims,
  multiply,
  number,
  reduce,
  scaled,
  sqrt,
  subtract,
  tanh,
} from "../arithmetic.ts";
import { constantOf, isOfLength, rankOf, refuse, scalarOf, shapeOf, shapeOfRank } from "../../import-node.ts";
import { fromNumbers } from "../../values.ts";
import { writable } from "../../within.ts";
import {
  axisIn,
  broadcastTo,
  call,
  cast,
  dtypeOf,
  elementOf,
  float,
  has,
  input,
  int,
  optional,
  reshape,
  transpose,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { matmul } from "./matmul.ts";

/** (batch, rows, heads * size) as (batch, heads, rows, size); four axes stay. */
function headsOf(n: OnnxNode, x: Expr, attribute: string): Expr {
  const shape = shapeOf(n, x);
  if (!isOfLength(shape, 3)) return x;
  const heads = int(n, attribute, 0);
  const [batch, rows, width] = shape;
  if (heads < 1 || width % heads !== 0)
    return refuse(n, `${attribute} does not divide the last axis`, {
      expected: `a divisor of ${width}`,
      got: String(heads),
    });
  return transpose(n, reshape(n, x, [batch, rows, heads, width / heads]), [0, 2, 1, 3]);
}

/** Each head of keys or values once for every head of queries that shares it. */
function repeated(n: OnnxNode, x: Expr, heads: number): Expr {
  const [batch, own, rows, size] = shapeOfRank(n, x, 4, "keys and values");
  if (own === heads) return x;
  const each = heads / own;
  if (!Number.isInteger(each))
    return refuse(n, "heads of keys and values do not divide those of queries", {
      expected: `a divisor of ${heads}`,
      got: String(own),
    });
  return reshape(n, broadcastTo(n, expandDims(n, x, 2), [batch, own, each, rows, size]), [
    batch,
    heads,
    rows,
    size,
  ]);
}

/** Zero where a query sees a key, minus infinity elsewhere. */
function causal(n: OnnxNode, like: Expr, past: number): Expr {
  const [, , rows, columns] = shapeOfRank(n, like, 4);
  writable(n, rows * columns);
  const seen = Array.from({ length: rows * columns }, (_, i) =>
    (i % columns) - past > Math.floor(i / columns) ? 0 : 1,
  );
  return constantOf(n, fromNumbers(bool, [rows, columns], seen));
}

/** A mask shorter than the keys hides the rest. */
function masked(n: OnnxNode, scores: Expr, mask: Expr): Expr {
  const [, , , columns] = shapeOfRank(n, scores, 4);
  const shape = shapeOf(n, mask, "the mask");
  const missing = columns - (shape.at(-1) ?? columns);
  const least = number(n, -Infinity, scores);
  const boolean = dtypeOf(n, mask) === bool;
  const fill = boolean ? scalarOf(n, bool, 0) : number(n, -Infinity, mask);
  const whole =
    missing <= 0
      ? mask
      : concatenate(n, [mask, broadcastTo(n, fill, [...shape.slice(0, -1), missing])], shape.length - 1);
  return boolean ? hidden(n, scores, whole, least) : add(n, scores, cast(n, whole, dtypeOf(n, scores)));
}

const hidden = (n: OnnxNode, scores: Expr, seen: Expr, least: Expr): Expr =>
  call(n, "where", [
    broadcastTo(n, seen, shapeOf(n, scores)),
    scores,
    broadcastTo(n, least, shapeOf(n, scores)),
  ]);

function softmax(n: OnnxNode, x: Expr): Expr {
  const e = exp(n, subtract(n, x, reduce(n, "max", x, [3], true)));
  return divide(n, e, reduce(n, "sum", e, [3], true));
}

/**
 * softmax(q * k' * scale + mask) * v, a head of (batch, heads) each; three axes are split into heads. The cap
 * is applied before the mask, as ONNX 1.22 and ONNX Runtime do, so that what is hidden stays hidden.
 */
const attention: Importer = (n) => {
  const q = headsOf(n, input(n, 0), "q_num_heads");
  const [keys, values] = [headsOf(n, input(n, 1), "kv_num_heads"), headsOf(n, input(n, 2), "kv_num_heads")];
  const [mask, pastKey, pastValue] = [optional(n, 3), optional(n, 4), optional(n, 5)];
  if (optional(n, 6) !== null)
    return refuse(n, "lengths of keys and values (nonpad_kv_seqlen) are not taken", {
      hint: "give them as the mask",
    });
  const presentKey = pastKey === null ? keys : concatenate(n, [pastKey, keys], 2);
  const presentValue = pastValue === null ? values : concatenate(n, [pastValue, values], 2);
  const [, heads, , size] = shapeOfRank(n, q, 4, "the queries");
  const scale = has(n, "scale") ? float(n, "scale", 1) : 1 / Math.sqrt(size);
  const [k, v] = [repeated(n, presentKey, heads), repeated(n, presentValue, heads)];
  const share = Math.sqrt(scale);
  const raw = matmul(n, scaled(n, q, share), transpose(n, scaled(n, k, share), [0, 1, 3, 2]));
  const cap = float(n, "softcap", 0);
  const capped = cap > 0 ? scaled(n, tanh(n, scaled(n, raw, 1 / cap)), cap) : raw;
  const biased = mask === null ? capped : masked(n, capped, mask);
  const past = pastKey === null ? 0 : shapeOfRank(n, pastKey, 4, "the past keys")[2];
  const scores =
    int(n, "is_causal", 0) === 0
      ? biased
      : hidden(n, biased, causal(n, biased, past), number(n, -Infinity, biased));
  const shares = cast(
    n,
    softmax(n, cast(n, scores, elementOf(n, "softmax_precision", dtypeOf(n, q)))),
    dtypeOf(n, q),
  );
  const product = matmul(n, shares, v);
  const [batch, , rows, width] = shapeOfRank(n, product, 4);
  const out =
    rankOf(n, input(n, 0)) === 3
      ? reshape(n, transpose(n, product, [0, 2, 1, 3]), [batch, rows, heads * width])
      : product;
  return [
    out,
    presentKey,
    presentValue,
    [raw, capped, scores, shares][int(n, "qk_matmul_output_mode", 0)] ?? raw,
  ];
};

/** x divided by the root of its mean square over the axes from `axis` on, times a scale. */
const rmsNorm: Importer = (n) => {
  const x = input(n, 0);
  const rank = rankOf(n, x);
  const first = axisIn(n, int(n, "axis", -1), rank);
  const axes = Array.from({ length: rank - first }, (_, i) => first + i);
  const stash = cast(n, x, elementOf(n, "stash_type", float32));
  const mean = reduce(n, "mean", multiply(n, stash, stash), axes, true);
  const root = sqrt(n, add(n, mean, number(n, float(n, "epsilon", 1e-5), mean)));
  return multiply(n, cast(n, divide(n, stash, root), dtypeOf(n, x)), input(n, 1));
};

const swish: Importer = (n) => {
  const x = input(n, 0);
  if (!isFloat(dtypeOf(n, x))) return refuse(n, "its input must be of a float type");
  return multiply(n, x, call(n, "sigmoid", [scaled(n, x, float(n, "alpha", 1))]));
};

export const attentionOps: readonly OnnxOp[] = [
  onnxOp("Attention", attention, { since: 23 }),
  onnxOp("RMSNormalization", rmsNorm, { since: 23 }),
  onnxOp("Swish", swish, { since: 24 }),
];
