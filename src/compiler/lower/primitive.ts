// What a primitive function is made of, and the refusals of what the TE compiler cannot lower.
// TVM: src/relay/backend/te_compiler_cache.cc (ScheduleBuilder's VisitExpr_ and their ICHECKs)
import { maxExtent } from "../limits.ts";
import type { DiagnosticCode } from "../ir/diagnostic-codes.ts";
import { fail, type DiagnosticParts } from "../ir/diagnostic.ts";
import type { OpTable } from "../ir/op.ts";
import { flattenTensorTypes, printType, type TensorType } from "../ir/type.ts";
import type { Op } from "../ops/define.ts";
import type { Call, Expr, Func, Var } from "../relay/expr.ts";
import { typeOf } from "../relay/op.ts";
import { postOrder } from "../relay/visit.ts";
import { anchorOf, type PrimitiveCall } from "./anchor.ts";

export interface PrimitiveParts {
  /** Operator calls in TVM's order of visiting: arguments first, left to right, each once. */
  readonly calls: readonly PrimitiveCall[];
  readonly anchor: PrimitiveCall;
  /** Tuples flattened. */
  readonly inputTypes: readonly TensorType[];
  readonly outputTypes: readonly TensorType[];
}

/**
 * The parts of `func`, checked; throws CompileError (RS4101 to RS4108) with what was expected and what was
 * got.
 */
export function primitiveParts(func: Func, ops: OpTable<Op>): PrimitiveParts {
  const bound = new Set<Var>(func.params);
  const calls: PrimitiveCall[] = [];
  postOrder(
    func.body,
    (expr) => {
      checkNode(expr, bound);
      if (expr.kind === "call") calls.push({ call: expr, op: calledOperator(expr, ops) });
    },
    (expr) => {
      if (expr.kind === "let") bound.add(expr.variable);
      return expr.kind !== "function";
    },
  );
  if (calls.length === 0) {
    refuse("RS4108", func, "a primitive function that calls no operator", {
      expected: "at least one operator call",
      got: `a body that is a ${func.body.kind}`,
      because: "there is no operator whose schedule could serve it",
      hint: "leave Primitive=1 out: FuseOps makes primitive functions",
    });
  }
  const inputTypes = func.params.flatMap((param) => flattenTensorTypes(typeOf(param)));
  return { calls, anchor: anchorOf(calls), inputTypes, outputTypes: flattenTensorTypes(typeOf(func.body)) };
}

/**
 * Refuses what has no loops of scalars that int32 counts: a dynamic dimension (RS4109) or too large
 * (RS4110), vector elements (RS4117).
 */
export function checkStatic(func: Func, parts: PrimitiveParts): void {
  for (const expr of [...func.params, ...parts.calls.map(({ call }) => call)]) checkStaticTypes(expr);
}

function checkNode(expr: Expr, bound: ReadonlySet<Var>): void {
  switch (expr.kind) {
    case "var":
      if (!bound.has(expr)) {
        refuse("RS4101", expr, `free variable %${expr.name} in a primitive function`, {
          expected: "only parameters of the primitive function",
          got: `%${expr.name}, which is not one of them`,
          because: "a kernel sees nothing but its arguments",
          hint: "pass the value as a parameter",
        });
      }
      return;
    case "constant":
      if (expr.data.shape.length > 0) {
        refuse("RS4103", expr, "a tensor constant in a primitive function", {
          expected: "a scalar (rank 0)",
          got: printType(typeOf(expr)),
          because: "only scalars are written into the kernel's code; tensors are parameters",
          hint: "pass the constant as a parameter",
        });
      }
      return;
    case "call":
    case "tuple":
    case "tuple-get-item":
    case "let":
    case "op":
      return;
    case "function":
      refuse("RS4102", expr, "a function inside a primitive function", {
        expected: "operator calls, tuples and scalar constants",
        got: "a nested function",
        because: "a kernel is one loop nest without calls of its own",
        hint: "leave Primitive=1 out: FuseOps makes primitive functions of the operators inside",
      });
      return;
    case "constructor":
    case "global":
    case "if":
    case "match":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      refuse("RS4105", expr, `${expr.kind} inside a primitive function`, {
        expected: "operator calls, tuples and scalar constants",
        got: expr.kind,
        because: "control flow, references and data types are not tensor expressions",
        hint: "leave Primitive=1 out: the executors run what is around primitive functions",
      });
  }
}

function calledOperator(call: Call, ops: OpTable<Op>): Op {
  if (call.callee.kind !== "op") {
    refuse("RS4105", call, `a primitive function calls a ${call.callee.kind}`, {
      expected: "a call of an operator",
      got: `a call of a ${call.callee.kind}`,
      because: "a kernel is one loop nest without calls of its own",
      hint: "leave Primitive=1 out: FuseOps makes primitive functions of the operators inside",
    });
  }
  const op = ops.get(call.callee.name);
  if (op === undefined || op.compute === null) {
    refuse("RS4107", call, `${call.callee.name} has no tensor expression`, {
      expected: "an operator that says what an element of its result is",
      got: call.callee.name,
      because: "the TE compiler lowers a call through the operator's compute",
      hint:
        op === undefined
          ? "the operator is not known here"
          : typeOf(call).kind === "tuple-type"
            ? "take field 0 of its result, as in `%0.0`: SimplifyInference replaces that"
            : "a pass before lowering should have replaced it (SimplifyInference, FuseOps)",
    });
  }
  const tuples = call.args.filter((arg) => typeOf(arg).kind === "tuple-type").length;
  if (tuples > 0 && call.args.length > 1) {
    refuse("RS4104", call, `${op.name} gets a tuple beside other arguments`, {
      expected: "a tuple as the only argument",
      got: `${tuples} of ${call.args.length} arguments are tuples`,
      because: "the tensors of all arguments are handed over as one flat list",
      hint: "pass the fields of the tuple as arguments of their own",
    });
  }
  return op;
}

function checkStaticTypes(expr: Expr): void {
  for (const type of flattenTensorTypes(typeOf(expr))) {
    if (type.dtype.lanes > 1) {
      refuse("RS4117", expr, `tensor elements are vectors: ${type.dtype.name}`, {
        expected: "elements of one lane",
        got: printType(type),
        because: "kernels compute scalars, and make vectors of neighbours themselves",
        hint: `write the ${type.dtype.lanes} lanes as a last dimension`,
      });
    }
    for (const dim of type.shape) {
      if (typeof dim !== "number") {
        refuse("RS4109", expr, "a dynamic dimension", {
          expected: "a static shape",
          got: printType(type),
          because: "loops and buffers of a kernel are sized when compiling",
          hint: "give the dimension (a typed parameter, or the shape option)",
        });
      }
      if (dim > maxExtent) {
        refuse("RS4110", expr, `dimension ${dim} does not fit int32`, {
          expected: `at most ${maxExtent}`,
          got: printType(type),
          because: "loop variables are int32",
          hint: "split the tensor along this dimension",
        });
      }
    }
  }
}

function refuse(code: DiagnosticCode, at: Expr, message: string, parts: DiagnosticParts): never {
  fail(code, message, { span: at.span, origin: at.origin, ...parts });
}
