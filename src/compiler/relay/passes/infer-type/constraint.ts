// Type relations of operators and projections: asked at once, or again when an argument that was open becomes
// known.
import { maxRank, maxTensorBytes } from "../../../limits.ts";
import type { DiagnosticCode } from "../../../ir/diagnostic-codes.ts";
import { byteSize } from "../../../ir/dtype.ts";
import { diagnostic, type Diagnostic, type DiagnosticParts } from "../../../ir/diagnostic.ts";
import type { OpCore, TypeReporter } from "../../../ir/op.ts";
import { flattenTensorTypes, printDim, printType, type Type } from "../../../ir/type.ts";
import type { Call, TupleGetItem } from "../../expr.ts";
import { freshHole, holesOf, isClosed, resolve, unify } from "./solver.ts";
import { isPoisoned, poison, report, require, type Constraint, type Inference } from "./state.ts";

/** The constraint's type now, or a hole that gets it later. */
export function constrain(cx: Inference, constraint: Constraint): Type {
  const type = attempt(cx, constraint, false);
  if (type !== null) return type;
  constraint.result = freshHole();
  cx.constraints.push(constraint);
  wait(cx, constraint);
  return constraint.result;
}

function wait(cx: Inference, constraint: Constraint): void {
  for (const arg of constraint.args) {
    for (const hole of holesOf(cx.solver, arg)) {
      const list = cx.solver.waiting.get(hole);
      if (list === undefined) cx.solver.waiting.set(hole, [constraint]);
      else if (!list.includes(constraint)) list.push(constraint);
    }
  }
}

/** Tries what became ready until nothing more does. */
export function drain(cx: Inference): void {
  for (let next = cx.solver.ready.pop(); next !== undefined; next = cx.solver.ready.pop()) {
    if (next.done) continue;
    const type = attempt(cx, next, false);
    if (type !== null) settle(cx, next, type);
    else wait(cx, next);
  }
}

/** Gives the constraint's result its type. */
export function settle(cx: Inference, constraint: Constraint, type: Type): void {
  constraint.done = true;
  if (constraint.result !== null)
    require(cx, constraint.expr, constraint.result, type, [
      "RS2009",
      () => "The result has another type than its use asks for.",
    ]);
}

/**
 * The result type, a poisoned one after a mistake, or null while an argument is open (unless `last`: then
 * mistakes are told).
 */
export function attempt(cx: Inference, constraint: Constraint, last: boolean): Type | null {
  const args = constraint.args.map((arg) => resolve(cx.solver, arg));
  const open = !args.every((arg) => isClosed(cx.solver, arg));
  if (open && args.some((arg) => isPoisoned(cx, arg))) return poison(cx);
  if (constraint.expr.kind === "tuple-get-item") return projectionType(cx, constraint.expr, args[0]!);
  const op = constraint.op!;
  let told = 0;
  const reporter = createReporter(cx, constraint.expr, op, args, (found) => {
    told++;
    if (!open || last) cx.pass.diagnostics.push(found);
  });
  const type = op.relation(args, constraint.expr.attrs, reporter);
  if (type !== null && told === 0) return checkSize(cx, constraint.expr, op, type);
  if (open && !(last && told > 0)) return null;
  if (told === 0)
    report(cx, constraint.expr, "RS2002", `The type of this call of ${op.name} cannot be inferred.`, {
      expected: "arguments whose types say what the result is",
      got: args.map((arg) => printType(resolve(cx.solver, arg))).join(", "),
      notes: argumentNotes(constraint.expr, op, args),
    });
  return poison(cx);
}

function createReporter(
  cx: Inference,
  call: Call,
  op: OpCore,
  args: readonly Type[],
  tell: (found: Diagnostic) => void,
): TypeReporter {
  const error = (code: DiagnosticCode, message: string, parts: DiagnosticParts = {}): null => {
    tell(
      diagnostic(code, message, {
        span: call.span,
        origin: call.origin,
        ...parts,
        notes: [...(parts.notes ?? []), ...argumentNotes(call, op, args)],
      }),
    );
    return null;
  };
  return {
    error,
    dimEqual: (a, b) => typeof a !== "number" || typeof b !== "number" || a === b,
    unify: (a, b) => {
      if (unify(cx.solver, a, b) !== null) return true;
      const at = args.findIndex((arg) => arg === a || arg === b);
      const [expected, got] = at >= 0 && args[at] === a ? [b, a] : [a, b];
      error(
        "RS2001",
        at < 0
          ? `${op.name}: two types that must be equal differ`
          : `${op.name}: argument \`${op.inputs[at]!}\` has the wrong type`,
        { expected: printType(resolve(cx.solver, expected)), got: printType(resolve(cx.solver, got)) },
      );
      return false;
    },
  };
}

/** "`weight` is %c2w: Tensor[(16, 8, 5, 5), float32]", one for each argument. */
function argumentNotes(call: Call, op: OpCore, args: readonly Type[]): readonly string[] {
  return args.map((type, i) => {
    const arg = call.args[i]!;
    return `\`${op.inputs[i] ?? String(i + 1)}\` is ${arg.kind === "var" ? `%${arg.name}: ` : ""}${printType(type)}`;
  });
}

function checkSize(cx: Inference, call: Call, op: OpCore, type: Type): Type {
  for (const tensor of type.kind === "tensor-type" ? [type] : flattenTensorTypes(type)) {
    if (tensor.shape.length > maxRank) {
      report(cx, call, "RS1034", `${op.name}: the result would have ${tensor.shape.length} dimensions.`, {
        expected: `at most ${maxRank} dimensions`,
        got: String(tensor.shape.length),
      });
      return poison(cx);
    }
    const negative = tensor.shape.find(
      (dim) => typeof dim === "number" && !(Number.isInteger(dim) && dim >= 0),
    );
    if (negative !== undefined) {
      report(cx, call, "RS1032", `${op.name}: the result would have the dimension ${printDim(negative)}.`, {
        expected: "whole numbers >= 0, or `?`",
        got: printType(tensor),
        notes: argumentNotes(
          call,
          op,
          call.args.map((arg) => resolve(cx.solver, cx.types.get(arg)!)),
        ),
      });
      return poison(cx);
    }
    let bytes = byteSize(tensor.dtype);
    for (const dim of tensor.shape) if (typeof dim === "number") bytes *= dim;
    if (bytes <= maxTensorBytes) continue;
    report(cx, call, "RS2016", `${op.name}: the result is too large: ${bytes} bytes.`, {
      expected: `at most ${maxTensorBytes} bytes`,
      got: printType(tensor),
      because: "the page and WebAssembly address memory with 32 bits",
    });
    return poison(cx);
  }
  return type;
}

function projectionType(cx: Inference, expr: TupleGetItem, tuple: Type): Type | null {
  if (tuple.kind === "incomplete-type") return null;
  if (tuple.kind !== "tuple-type") {
    report(cx, expr, "RS2017", `\`.${expr.index}\` takes a field of a tuple, but this is none.`, {
      expected: "a tuple",
      got: printType(tuple),
    });
    return poison(cx);
  }
  const field = tuple.fields[expr.index];
  if (field !== undefined) return field;
  report(
    cx,
    expr,
    "RS2018",
    `The tuple has ${tuple.fields.length} fields, there is no field ${expr.index}.`,
    { expected: `0 to ${tuple.fields.length - 1}`, got: String(expr.index) },
  );
  return poison(cx);
}
