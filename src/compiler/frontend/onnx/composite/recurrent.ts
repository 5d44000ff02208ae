// Recurrent networks, one step after the other.  TVM: python/tvm/relay/frontend/onnx.py (RNN, LSTM, GRU),
// python/tvm/relay/frontend/common.py (lstm_cell, gru_cell, unbind)
import { at, invariant } from "../../../../support/assert.ts";
import type { Expr } from "../../../relay/expr.ts";
import {
  add,
  clip,
  concatenate,
  expandDims,
  less,
  multiply,
  number,
  sliceAxis,
  squeeze,
  stack,
  subtract,
} from "../arithmetic.ts";
import { extentsOf, zerosOf } from "../dynamic.ts";
import { dimsOf, field, refuse, scalarOf, shapeOfRank, listed } from "../../import-node.ts";
import { mostRounds } from "../../../limits.ts";
import { within } from "../../within.ts";
import { numbersOf } from "../../values.ts";
import {
  call,
  dtypeOf,
  float,
  floats,
  has,
  input,
  int,
  known,
  optional,
  text,
  texts,
  transpose,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { activation } from "../ops/activations.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";

type Act = (x: Expr) => Expr;

/** Three activations, of which a cell uses as many as its Kind names. */
type Acts = readonly [f: Act, g: Act, h: Act];

/** Weights of an LSTM's peepholes. */
interface Peepholes {
  readonly input: Expr;
  readonly output: Expr;
  readonly forget: Expr;
}

/** One direction's weights, states and activations. */
interface Direction {
  /** Rows: gates times hidden size. */
  readonly w: Expr;
  readonly r: Expr;
  readonly bw: Expr | null;
  readonly br: Expr | null;
  readonly h: Expr;
  readonly c: Expr | null;
  readonly peepholes: Peepholes | null;
  readonly acts: Acts;
  readonly backward: boolean;
}

interface State {
  readonly h: Expr;
  readonly c: Expr | null;
}

type Cell = (n: OnnxNode, x: Expr, state: State, d: Direction) => State;

interface Kind {
  readonly gates: number;
  readonly acts: readonly string[];
  readonly cell: Cell;
  readonly hasCellState: boolean;
  /** How many of the activations belong to gates. */
  readonly clipped: number;
}

/** h' = f(x W' + h R' + b). */
const rnnCell: Cell = (n, x, { h }, d) => ({
  h: d.acts[0](add(n, project(n, x, d.w, d.bw), project(n, h, d.r, d.br))),
  c: null,
});

/** Gates in ONNX's order: input, output, forget, cell. */
const lstmCell: Cell = (n, x, { h, c }, d) => {
  invariant(c !== null, "an LSTM has a cell state");
  const gates = call(n, "split", [add(n, project(n, x, d.w, d.bw), project(n, h, d.r, d.br))], {
    indices_or_sections: 4,
    axis: 1,
  });
  const [f, g, last] = d.acts;
  const peep = (gate: Expr, kind: keyof Peepholes, cell: Expr): Expr =>
    d.peepholes === null ? gate : add(n, gate, multiply(n, d.peepholes[kind], cell));
  const inputGate = f(peep(field(n, gates, 0), "input", c));
  const forget =
    int(n, "input_forget", 0) !== 0
      ? subtract(n, number(n, 1, inputGate), inputGate)
      : f(peep(field(n, gates, 2), "forget", c));
  const cell = add(n, multiply(n, forget, c), multiply(n, inputGate, g(field(n, gates, 3))));
  return { h: multiply(n, f(peep(field(n, gates, 1), "output", cell)), last(cell)), c: cell };
};

/** Gates in ONNX's order: update, reset, hidden. */
const gruCell: Cell = (n, x, { h }, d) => {
  const hidden = Number(dimsOf(n, h)[1]);
  const parts = (made: Expr): readonly [Expr, Expr] => [
    sliceAxis(n, made, 1, [0, 2 * hidden]),
    sliceAxis(n, made, 1, [2 * hidden, 3 * hidden]),
  ];
  const rows = (v: Expr, from: number, to: number): Expr => sliceAxis(n, v, 0, [from * hidden, to * hidden]);
  const biasRows = (from: number, to: number): Expr | null => (d.br === null ? null : rows(d.br, from, to));
  const [f, g] = d.acts;
  const [xGates, xHidden] = parts(project(n, x, d.w, d.bw));
  const gates = call(n, "split", [f(add(n, xGates, project(n, h, rows(d.r, 0, 2), biasRows(0, 2))))], {
    indices_or_sections: 2,
    axis: 1,
  });
  const [update, reset] = [field(n, gates, 0), field(n, gates, 1)];
  const [r, br] = [rows(d.r, 2, 3), biasRows(2, 3)];
  const linear = int(n, "linear_before_reset", 0) !== 0;
  const before = linear ? multiply(n, reset, project(n, h, r, br)) : project(n, multiply(n, reset, h), r, br);
  const next = g(add(n, xHidden, before));
  return {
    h: add(n, multiply(n, subtract(n, number(n, 1, update), update), next), multiply(n, update, h)),
    c: null,
  };
};

function project(n: OnnxNode, x: Expr, weight: Expr, bias: Expr | null): Expr {
  const product = call(n, "nn.dense", [x, weight], { units: null });
  return bias === null ? product : add(n, product, bias);
}

/** Activations in order; clipped first where the node says, alpha and beta taken by those that have them. */
function activations(n: OnnxNode, kind: Kind, directions: number): readonly Act[] {
  const names = texts(n, "activations") ?? Array.from({ length: directions }, () => kind.acts).flat();
  const [alphas, betas] = [
    [...(floats(n, "activation_alpha") ?? [])],
    [...(floats(n, "activation_beta") ?? [])],
  ];
  const limit = has(n, "clip") ? float(n, "clip", 0) : null;
  if (names.length !== kind.acts.length * directions)
    refuse(n, "the number of activations is wrong", {
      expected: String(kind.acts.length * directions),
      got: String(names.length),
    });
  return names.map((name, i) => {
    // The state's own activation is not clipped: ONNX Runtime clips gates only.
    const clips = limit !== null && i % kind.acts.length < kind.clipped;
    const f = activation(name) ?? refuse(n, `the activation ${name} is not known`);
    const [alpha, beta] = [
      takesAlpha.has(name.toLowerCase()) ? (alphas.shift() ?? null) : null,
      takesBeta.has(name.toLowerCase()) ? (betas.shift() ?? null) : null,
    ];
    return (x) => f(n, clips ? clip(n, x, -limit, limit) : x, { alpha, beta });
  });
}

const takesAlpha: ReadonlySet<string> = new Set([
  "affine",
  "leakyrelu",
  "thresholdedrelu",
  "scaledtanh",
  "hardsigmoid",
  "elu",
]);
const takesBeta: ReadonlySet<string> = new Set(["affine", "scaledtanh", "hardsigmoid"]);

/** Element `index` of the first axis, without that axis. */
const pick = (n: OnnxNode, of: Expr, index: number): Expr =>
  dimsOf(n, of)[0] === 1 ? squeeze(n, of, [0]) : squeeze(n, sliceAxis(n, of, 0, [index, index + 1]), [0]);

interface Layout {
  /** (steps, batch, features). */
  readonly x: Expr;
  readonly hidden: number;
  readonly directions: number;
  /** layout=1: batch first, everywhere. */
  readonly batchFirst: boolean;
}

function directionsOf(n: OnnxNode, kind: Kind, layout: Layout): readonly Direction[] {
  const { x, hidden, directions, batchFirst } = layout;
  const [w, r, b] = [input(n, 1), input(n, 2), optional(n, 3)];
  const first = (value: Expr | null): Expr => {
    if (value === null) return zerosOf(n, [directions, listed(n, extentsOf(n, x), 1, "axes"), hidden], w);
    return batchFirst ? transpose(n, value, [1, 0, 2]) : value;
  };
  const [h, c] = [first(optional(n, 5)), kind.hasCellState ? first(optional(n, 6)) : null];
  const peepholes = kind.hasCellState ? optional(n, 7) : null;
  const acts = activations(n, kind, directions);
  const rows = kind.gates * hidden;
  return Array.from({ length: directions }, (_, d) => {
    const bias = b === null ? null : pick(n, b, d);
    const own = peepholes === null ? null : pick(n, peepholes, d);
    return {
      w: pick(n, w, d),
      r: pick(n, r, d),
      bw: bias === null ? null : sliceAxis(n, bias, 0, [0, rows]),
      br: bias === null ? null : sliceAxis(n, bias, 0, [rows, 2 * rows]),
      h: pick(n, h, d),
      c: c === null ? null : pick(n, c, d),
      peepholes: own === null ? null : peepholesOf(n, own, hidden),
      acts: actsOf(acts.slice(d * kind.acts.length, (d + 1) * kind.acts.length)),
      backward: d === 1 || text(n, "direction", "forward") === "reverse",
    };
  });
}

/** In ONNX's order: input, output, forget. */
function peepholesOf(n: OnnxNode, all: Expr, hidden: number): Peepholes {
  const part = (index: number): Expr => sliceAxis(n, all, 0, [index * hidden, (index + 1) * hidden]);
  return { input: part(0), output: part(1), forget: part(2) };
}

/** Activations that the kind does not name are never called. */
function actsOf([f, g, h]: readonly Act[]): Acts {
  invariant(f !== undefined, "a recurrent network without an activation");
  return [f, g ?? f, h ?? f];
}

/** Lengths of the batch's sequences, or null where all are the whole length. */
function lengthsOf(n: OnnxNode, steps: number): Expr | null {
  const lengths = optional(n, 4);
  const value = lengths === null ? null : known(n, lengths);
  return value !== null && numbersOf(value).every((length) => length === steps) ? null : lengths;
}

interface Run {
  readonly outputs: readonly Expr[];
  readonly state: State;
}

/** Steps in order (from the end if backward); a sequence that is over keeps its state and gives zeros. */
function runDirection(
  n: OnnxNode,
  xs: readonly Expr[],
  d: Direction,
  how: { readonly cell: Cell; readonly lengths: Expr | null },
): Run {
  let state: State = { h: d.h, c: d.c };
  const outputs: Expr[] = [];
  const order = xs.map((_, i) => (d.backward ? xs.length - 1 - i : i));
  for (const step of order) {
    const next = how.cell(n, at(xs, step, "step"), state, d);
    if (how.lengths === null) {
      state = next;
      outputs[step] = next.h;
      continue;
    }
    const within = expandDims(n, less(n, scalarOf(n, dtypeOf(n, how.lengths), step), how.lengths), 1);
    const choose = (a: Expr, b: Expr): Expr => call(n, "where", [within, a, b]);
    outputs[step] = choose(next.h, call(n, "zeros_like", [next.h]));
    state = {
      h: choose(next.h, state.h),
      c: next.c === null || state.c === null ? null : choose(next.c, state.c),
    };
  }
  return { outputs, state };
}

function recurrent(kind: Kind): Importer {
  return (n) => {
    const batchFirst = int(n, "layout", 0) !== 0;
    const x = batchFirst ? transpose(n, input(n, 0), [1, 0, 2]) : input(n, 0);
    const [steps] = dimsOf(n, x);
    if (typeof steps !== "number")
      return refuse(
        n,
        "the number of steps must be known when importing",
        { hint: "give the input a fixed shape (--shape)" },
        "RS1823",
      );
    within(n, steps, {
      most: mostRounds,
      what: "steps, each of which is written out",
      hint: "run the model over shorter pieces, with initial_h (and initial_c) from the piece before; --shape fixes the length",
    });
    const [directions, , hidden] = shapeOfRank(n, input(n, 2), 3, "its weights");
    const layout = { x, hidden, directions, batchFirst };
    const parts = steps === 1 ? null : call(n, "split", [x], { indices_or_sections: steps, axis: 0 });
    const xs = Array.from({ length: steps }, (_, i) =>
      squeeze(n, parts === null ? x : field(n, parts, i), [0]),
    );
    const lengths = lengthsOf(n, steps);
    const runs = directionsOf(n, kind, layout).map((d) =>
      runDirection(n, xs, d, { cell: kind.cell, lengths }),
    );
    // (steps, directions, batch, hidden)
    const y = concatenate(
      n,
      xs.map((_, step) =>
        expandDims(
          n,
          stack(
            n,
            runs.map((run) => at(run.outputs, step, "step")),
            0,
          ),
          0,
        ),
      ),
      0,
    );
    const last = (of: (run: Run) => Expr): Expr => stack(n, runs.map(of), batchFirst ? 1 : 0);
    const outputs = [batchFirst ? transpose(n, y, [2, 0, 1, 3]) : y, last((run) => run.state.h)];
    if (!kind.hasCellState) return outputs;
    const cellOf = ({ state }: Run): Expr => {
      invariant(state.c !== null, "an LSTM has a cell state");
      return state.c;
    };
    return [...outputs, last(cellOf)];
  };
}

export const recurrentOps: readonly OnnxOp[] = [
  onnxOp("RNN", recurrent({ gates: 1, acts: ["Tanh"], cell: rnnCell, hasCellState: false, clipped: 1 })),
  onnxOp(
    "GRU",
    recurrent({ gates: 3, acts: ["Sigmoid", "Tanh"], cell: gruCell, hasCellState: false, clipped: 2 }),
  ),
  onnxOp(
    "LSTM",
    recurrent({
      gates: 4,
      acts: ["Sigmoid", "Tanh", "Tanh"],
      cell: lstmCell,
      hasCellState: true,
      clipped: 2,
    }),
  ),
];
