// Training steps of ai.onnx.preview.training: one update of each tensor, plain arithmetic.
import type { Expr } from "../../../relay/expr.ts";
import { add, divide, multiply, number, scaled, sqrt, subtract } from "../arithmetic.ts";
import { refuse } from "../../import-node.ts";
import { call, cast, dtypeOf, float, input, text, type Importer, type OnnxNode } from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";

const domain = "ai.onnx.preview.training";

/** Inputs R, T, then all X, all G, and so on: group `g` of tensor `i`. */
function grouped(n: OnnxNode, groups: number): (g: number, i: number) => Expr {
  const count = (n.inputs.length - 2) / groups;
  if (!Number.isInteger(count))
    refuse(n, "the number of inputs is wrong", {
      expected: `2 and a multiple of ${groups}`,
      got: String(n.inputs.length),
    });
  return (g, i) => input(n, 2 + g * count + i);
}

const tensorsOf = (n: OnnxNode, groups: number): number[] =>
  Array.from({ length: (n.inputs.length - 2) / groups }, (_, i) => i);

/** Gradient with L2 regularisation. */
function regularised(n: OnnxNode, x: Expr, gradient: Expr): Expr {
  const factor = float(n, "norm_coefficient", 0);
  return factor === 0 ? gradient : add(n, scaled(n, x, factor), gradient);
}

const adagrad: Importer = (n) => {
  const at = grouped(n, 3);
  const [rate, step] = [input(n, 0), input(n, 1)];
  const decayed = divide(
    n,
    rate,
    add(n, number(n, 1, rate), scaled(n, cast(n, step, dtypeOf(n, rate)), float(n, "decay_factor", 0))),
  );
  const made = tensorsOf(n, 3).map((i) => {
    const gradient = regularised(n, at(0, i), at(1, i));
    const squares = add(n, at(2, i), multiply(n, gradient, gradient));
    const adaptive = add(n, sqrt(n, squares), number(n, float(n, "epsilon", 0), squares));
    return [subtract(n, at(0, i), divide(n, multiply(n, decayed, gradient), adaptive)), squares] as const;
  });
  return [...made.map(([x]) => x), ...made.map(([, h]) => h)];
};

const adam: Importer = (n) => {
  const at = grouped(n, 4);
  const [rate, step] = [input(n, 0), input(n, 1)];
  const [alpha, beta] = [float(n, "alpha", 0.9), float(n, "beta", 0.999)];
  const time = cast(n, step, dtypeOf(n, rate));
  const rest = (base: number): Expr =>
    subtract(n, number(n, 1, rate), call(n, "power", [number(n, base, rate), time]));
  const corrected = divide(n, multiply(n, rate, sqrt(n, rest(beta))), rest(alpha));
  const first = call(n, "equal", [step, number(n, 0, step)]);
  const now = call(n, "where", [first, rate, corrected]);
  const post = float(n, "norm_coefficient_post", 0);
  const made = tensorsOf(n, 4).map((i) => {
    const gradient = regularised(n, at(0, i), at(1, i));
    const velocity = add(n, scaled(n, at(2, i), alpha), scaled(n, gradient, 1 - alpha));
    const squares = add(n, scaled(n, at(3, i), beta), scaled(n, multiply(n, gradient, gradient), 1 - beta));
    const moved = subtract(
      n,
      at(0, i),
      divide(
        n,
        multiply(n, now, velocity),
        add(n, sqrt(n, squares), number(n, float(n, "epsilon", 1e-6), squares)),
      ),
    );
    return { moved: post === 0 ? moved : scaled(n, moved, 1 - post), velocity, squares };
  });
  return [
    ...made.map((one) => one.moved),
    ...made.map((one) => one.velocity),
    ...made.map((one) => one.squares),
  ];
};

const momentum: Importer = (n) => {
  const at = grouped(n, 3);
  const [rate, step] = [input(n, 0), input(n, 1)];
  const [alpha, beta] = [float(n, "alpha", 0), float(n, "beta", 0)];
  const nesterov = text(n, "mode", "standard") === "nesterov";
  const made = tensorsOf(n, 3).map((i) => {
    const gradient = regularised(n, at(0, i), at(1, i));
    const factor = call(n, "where", [
      call(n, "greater", [step, number(n, 0, step)]),
      number(n, beta, rate),
      number(n, 1, rate),
    ]);
    const velocity = add(n, scaled(n, at(2, i), alpha), multiply(n, factor, gradient));
    const direction = nesterov ? add(n, gradient, scaled(n, velocity, alpha)) : velocity;
    return [subtract(n, at(0, i), multiply(n, rate, direction)), velocity] as const;
  });
  return [...made.map(([x]) => x), ...made.map(([, v]) => v)];
};

export const optimizerOps: readonly OnnxOp[] = [
  onnxOp("Adagrad", adagrad, { domain }),
  onnxOp("Adam", adam, { domain }),
  onnxOp("Momentum", momentum, { domain }),
];
