// What the executors cannot run, told by the one that was asked.
import { CompileError, fail, type Diagnostic, type DiagnosticParts } from "../ir/diagnostic.ts";
import type { DiagnosticCode } from "../ir/diagnostic-codes.ts";
import { printType, type TensorType, type Type } from "../ir/type.ts";
import type { Call, Constant, Expr, If, Var } from "../relay/expr.ts";
import type { Outcome } from "./plan.ts";

/** The executors by the words of their messages. */
export type ExecutorName = "AOT executor" | "graph executor" | "dynamic executor";

export interface Refusal {
  readonly code: DiagnosticCode;
  readonly at: Expr;
  readonly message: (executor: ExecutorName) => string;
  readonly parts: DiagnosticParts;
}

/** Throws CompileError: `executor` cannot run it. */
export function refuse({ code, at, message, parts }: Refusal, executor: ExecutorName): never {
  fail(code, message(executor), {
    span: at.span,
    origin: at.origin,
    because: `the ${executor} plans everything when compiling`,
    ...parts,
  });
}

/** Turns a refusal thrown inside `plan` into an Outcome. */
export function asOutcome<T>(plan: () => T): Outcome<T> {
  try {
    return { ok: true, value: plan() };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const found: Diagnostic = error.diagnostic;
    return { ok: false, diagnostic: found };
  }
}

export function notATensor(param: Var, type: Type): Refusal {
  return {
    code: "RS5003",
    at: param,
    message: () => `parameter %${param.name} is not a tensor`,
    parts: {
      expected: "tensors as parameters of @main",
      got: printType(type),
      hint: "take the fields as parameters of their own",
    },
  };
}

export function notStatic(producer: Var | Constant | Call | If, type: TensorType): Refusal {
  const name = producer.kind === "var" ? `parameter %${producer.name}` : `the result of a ${producer.kind}`;
  return {
    code: "RS5002",
    at: producer,
    message: () => `${name} has a dynamic dimension`,
    parts: {
      expected: "a static shape, so that memory can be planned",
      got: printType(type),
      hint:
        producer.kind === "var"
          ? `give its dimensions, as in --shape ${producer.name}=${exampleShape(type)}; without them, run evaluates shapes as it goes`
          : "give the dimensions of the inputs with --shape; without them, run evaluates shapes as it goes",
    },
  };
}

/** "2x4": what the shape option may say. */
function exampleShape(type: TensorType): string {
  return type.shape.map((dim) => (typeof dim === "number" ? dim : 2)).join("x");
}

export function freeVariable(variable: Var): Refusal {
  return {
    code: "RS5004",
    at: variable,
    message: () => `free variable %${variable.name} in @main`,
    parts: {
      expected: "parameters of @main and let-bound variables",
      got: `%${variable.name}`,
      because: "nothing gives it a value",
      hint: `make %${variable.name} a parameter of @main, or bind it with let`,
    },
  };
}

/** Data types and references that were not resolved before. */
export function notRunnable(expr: Expr): Refusal {
  return {
    code: "RS5005",
    at: expr,
    message: (executor) => `the ${executor} cannot run a ${expr.kind}`,
    parts: {
      expected: "calls of primitive functions, tuples, let and if",
      got: expr.kind,
      because: "its plan is one list of calls, made when compiling",
      hint: "write the program without it, or report this with the program: main should be free of it by now",
    },
  };
}

/** A call of something else than a primitive function. */
export function notPrimitive(call: Call): Refusal {
  const { callee } = call;
  const what =
    callee.kind === "op"
      ? `operator ${callee.name}`
      : callee.kind === "global"
        ? `@${callee.name}`
        : `a ${callee.kind}`;
  const message = (executor: ExecutorName): string => `the ${executor} meets a call of ${what}`;
  const shared = { expected: "calls of primitive functions only", got: `a call of ${what}` };
  if (callee.kind === "op" && callee.name.startsWith("qnn."))
    return {
      code: "RS5006",
      at: call,
      message,
      parts: {
        ...shared,
        because: "Legalize turns quantised operators into integer arithmetic, and did not run",
        hint: "use opt_level 1 or more, or add Legalize to the required passes",
      },
    };
  return {
    code: "RS5006",
    at: call,
    message,
    parts: {
      ...shared,
      because: "FuseOps puts every operator into a primitive function, and functions must be inlined before",
      hint: callee.kind === "global" ? "inline the function into @main" : "let FuseOps run",
    },
  };
}
