// Control flow. A known condition picks its branch; any other becomes Relay's if. Loops and scans are
// unrolled: how often they run must be known.  TVM: python/tvm/relay/frontend/onnx.py (If, Loop), which keeps
// loops as recursive functions
import { mostRounds } from "../../../limits.ts";
import { invariant } from "../../../../support/assert.ts";
import { CompileError } from "../../../ir/diagnostic.ts";
import { bool, int64 } from "../../../ir/dtype.ts";
import { printType, sameType } from "../../../ir/type.ts";
import { makeIf, type Expr } from "../../../relay/expr.ts";
import { concatenate, expandDims, sliceAxis, squeeze, stack } from "../arithmetic.ts";
import {
  field,
  fields,
  inputsBehind,
  rankOf,
  refuse,
  scalarOf,
  extentOf,
  isOfLength,
  listed,
  single,
} from "../../import-node.ts";
import { numbersOf } from "../../values.ts";
import {
  axisIn,
  graphOf,
  input,
  int,
  intsOf,
  ints,
  known,
  optional,
  reshape,
  type Importer,
  type OnnxNode,
  type Value,
} from "../graph.ts";
import type { GraphProto } from "../model-proto.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";

const branch: Importer = (n) => {
  const condition = input(n, 0);
  const value = known(n, condition);
  if (value !== null)
    return n.graph(graphOf(n, Number(value.data[0]) !== 0 ? "then_branch" : "else_branch"), []);
  const scalar = rankOf(n, condition) === 0 ? condition : reshape(n, condition, []);
  const tensors = (out: Value): Expr =>
    out.kind === "sequence" ? refuse(n, "a branch gives a sequence") : out;
  const taken = (name: string): readonly Expr[] => side(n, graphOf(n, name), condition).map(tensors);
  return chosen(n, scalar, taken("then_branch"), taken("else_branch"));
};

/**
 * A branch that may or may not run. What it does not take may be of no concern: the report says what would
 * leave it out.
 */
function side(n: OnnxNode, graph: GraphProto, condition: Expr): readonly Value[] {
  try {
    return n.graph(graph, []);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    throw new CompileError({ ...error.diagnostic, hint: error.diagnostic.hint ?? bindHint(condition) });
  }
}

function bindHint(condition: Expr): string {
  const names = inputsBehind(condition);
  return `if the branch is not meant to run, bind ${names.join(", ")} (${names.map((name) => `--bind ${name}=FILE.npy`).join(" ")}), so that only one is imported`;
}

/** Relay's if over one value or a tuple of them; both branches must give the same types. */
function chosen(
  n: OnnxNode,
  condition: Expr,
  then: readonly Expr[],
  otherwise: readonly Expr[],
): readonly Expr[] {
  const { cx } = n.state;
  const whole = (outs: readonly Expr[]): Expr => (isOfLength(outs, 1) ? outs[0] : fields(n, outs));
  const [a, b] = [whole(then), whole(otherwise)];
  invariant(a.type !== null && b.type !== null, "a branch without a type");
  if (!sameType(a.type, b.type))
    refuse(n, "the branches give different types", {
      expected: printType(a.type),
      got: printType(b.type),
      hint: bindHint(condition),
    });
  const made = makeIf(cx.ids, condition, a, b, { origin: n.origin, type: a.type });
  return then.length === 1 ? [made] : then.map((_, i) => field(n, made, i));
}

const isTrue = (n: OnnxNode, expr: Expr): boolean => intsOf(n, expr, "whether the loop goes on")[0] !== 0;

/**
 * Body inputs: round, condition, carried values; outputs: condition, carried values, one element of each scan
 * output.
 */
const loop: Importer = (n) => {
  const body = graphOf(n, "body");
  const count =
    optional(n, 0) === null
      ? Infinity
      : single(
          n,
          numbersOf(
            known(n, input(n, 0)) ??
              refuse(n, "the number of rounds must be known when importing", {}, "RS1823"),
          ),
          "the number of rounds",
        );
  let going = optional(n, 1) === null ? true : isTrue(n, input(n, 1));
  let carried = n.inputs.slice(2).map((value): Value => value ?? refuse(n, "a carried value is missing"));
  const scans: Expr[][] = body.output.slice(1 + carried.length).map(() => []);
  for (let round = 0; going && round < count; round++) {
    if (round >= mostRounds)
      return refuse(n, "the loop has too many rounds to be written out", {
        expected: `at most ${mostRounds}`,
        got: count === Infinity ? "no limit" : String(count),
        hint: "run the loop outside of the model, or over fewer elements",
      });
    const results = n.graph(body, [scalarOf(n, int64, round), scalarOf(n, bool, 1), ...carried]);
    const condition = listed(n, results, 0, "outputs of the body");
    scans.forEach((elements, i) =>
      elements.push(tensorResult(n, listed(n, results, 1 + carried.length + i, "outputs of the body"))),
    );
    carried = results.slice(1, 1 + carried.length);
    going = condition.kind === "sequence" || isTrue(n, condition);
  }
  return [
    ...carried,
    ...scans.map((parts) =>
      parts.length === 0 ? refuse(n, "a loop without rounds has no scan output") : stack(n, parts, 0),
    ),
  ];
};

function tensorResult(n: OnnxNode, value: Value): Expr {
  return value.kind === "sequence" ? refuse(n, "a scan output is a sequence") : value;
}

/** One round an element along the scan axes; opset 8 scans a batch and may have lengths. */
const scan: Importer = (n) => {
  const body = graphOf(n, "body");
  const batched = n.opset < 9;
  const count = int(n, "num_scan_inputs", 1);
  const all = n.inputs
    .slice(batched ? 1 : 0)
    .map((value) =>
      value === null || value.kind === "sequence" ? refuse(n, "an input is missing or a sequence") : value,
    );
  if (!batched) return scanOnce(n, all, all.length - count);
  if ((n.inputs[0] ?? null) !== null)
    refuse(n, "sequence lengths are not taken", { hint: "convert the model to opset 9 or later" });
  const batch = extentOf(n, listed(n, all, 0, "inputs"), 0);
  const rounds = Array.from({ length: batch }, (_, i) =>
    scanOnce(
      n,
      all.map((value) => squeeze(n, sliceAxis(n, value, 0, [i, i + 1]), [0])),
      all.length - count,
    ),
  );
  return body.output.map((_, out) =>
    concatenate(
      n,
      rounds.map((round) => expandDims(n, listed(n, round, out, "outputs of the body"), 0)),
      0,
    ),
  );
};

function scanOnce(n: OnnxNode, all: readonly Expr[], states: number): readonly Expr[] {
  const body = graphOf(n, "body");
  const axes = n.opset < 9 ? null : ints(n, "scan_input_axes");
  const backward = ints(n, n.opset < 9 ? "directions" : "scan_input_directions");
  const inputs = all
    .slice(states)
    .map((value, i) => ({
      value,
      axis: axisIn(n, axes?.[i] ?? 0, rankOf(n, value)),
      backward: backward?.[i] === 1,
    }));
  const first = listed(n, inputs, 0, "scanned inputs");
  const length = extentOf(n, first.value, first.axis);
  let carried: readonly Expr[] = all.slice(0, states);
  const parts: Expr[][] = body.output.slice(states).map(() => []);
  for (let round = 0; round < length; round++) {
    const elements = inputs.map(({ value, axis, backward: fromEnd }) => {
      const place = fromEnd ? length - 1 - round : round;
      return squeeze(n, sliceAxis(n, value, axis, [place, place + 1]), [axis]);
    });
    const results = n.graph(body, [...carried, ...elements]).map((value) => tensorResult(n, value));
    carried = results.slice(0, states);
    parts.forEach((part, i) => part.push(listed(n, results, states + i, "outputs of the body")));
  }
  return [...carried, ...parts.map((part, i) => stacked(n, part, i))];
}

function stacked(n: OnnxNode, parts: readonly Expr[], index: number): Expr {
  const rank = rankOf(n, parts[0] ?? refuse(n, "a scan over nothing")) + 1;
  const axis = axisIn(n, (n.opset < 9 ? null : ints(n, "scan_output_axes"))?.[index] ?? 0, rank);
  const ordered = ints(n, "scan_output_directions")?.[index] === 1 ? parts.toReversed() : parts;
  return stack(n, ordered, axis);
}

export const controlOps: readonly OnnxOp[] = [
  onnxOp("If", branch),
  onnxOp("Loop", loop, { values: [0, 1] }),
  onnxOp("Scan", scan),
];
