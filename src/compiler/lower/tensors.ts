// Tensor expressions of a primitive function: one te tensor a Relay value, tuples flattened.
// TVM: src/relay/backend/te_compiler_cache.cc (ScheduleBuilder)
import { invariant, get, at } from "../../support/assert.ts";
import { decodeBfloat16, decodeFloat16 } from "../ir/float16.ts";
import { isFloat } from "../ir/dtype.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import { flattenTensorTypes, staticShape, type TensorType, type Type } from "../ir/type.ts";
import { computeContext } from "../ops/define.ts";
import type { Call, Expr, Func } from "../relay/expr.ts";
import { typeOf } from "../relay/op.ts";
import { postOrder } from "../relay/visit.ts";
import { compute, placeholder } from "../te/compute.ts";
import type { Operation, Tensor } from "../te/tensor.ts";
import { floatImm, intImm } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import type { PrimitiveParts } from "./primitive.ts";

export interface PrimitiveTensors {
  readonly inputs: readonly Tensor[];
  /** One per output; an input, or a tensor given before, may be among them (te/lower.ts copies it). */
  readonly outputs: readonly Tensor[];
  /** `compile_engine_const` operations, to be inlined whatever the schedule says. */
  readonly scalars: readonly Operation[];
  /** What the anchor operator computed. */
  readonly anchor: readonly Tensor[];
}

export function primitiveTensors(func: Func, parts: PrimitiveParts, target: "c" | "wasm"): PrimitiveTensors {
  const known = new Map<Expr, readonly Tensor[]>();
  const operators = new Map<Call, PrimitiveParts["calls"][number]>(
    parts.calls.map((entry) => [entry.call, entry]),
  );
  const scalars: Operation[] = [];
  for (const param of func.params) {
    known.set(
      param,
      flattenTensorTypes(typeOf(param)).map((type, i, all) =>
        placeholder(shapeOf(type), type.dtype, {
          name: all.length > 1 ? `${param.name}_${i}` : param.name,
          origin: param.origin,
        }),
      ),
    );
  }
  const lets = new Map<Expr, Expr>();
  const valueOf = (expr: Expr): readonly Tensor[] => {
    const found = known.get(lets.get(expr) ?? expr);
    invariant(found !== undefined, `no tensors for a ${expr.kind} in a primitive function`);
    return found;
  };
  postOrder(
    func.body,
    (expr) => {
      if (expr.kind === "call")
        known.set(
          expr,
          computeCall(expr, get(operators, expr, "operator").op, expr.args.flatMap(valueOf), target),
        );
      else if (expr.kind === "tuple") known.set(expr, expr.fields.flatMap(valueOf));
      else if (expr.kind === "tuple-get-item")
        known.set(expr, projectFields(typeOf(expr.tuple), valueOf(expr.tuple), expr.index));
      else if (expr.kind === "let") known.set(expr, valueOf(expr.body));
      else if (expr.kind === "constant") {
        const value = compute([], () => scalarImm(expr.data), {
          name: "compile_engine_const",
          tag: "broadcast",
          origin: expr.origin,
        });
        scalars.push(value.op);
        known.set(expr, [value]);
      }
    },
    (expr) => {
      if (expr.kind === "let") lets.set(expr.variable, expr.value);
      return true;
    },
  );
  const inputs = func.params.flatMap((param) => get(known, param, "tensors of an expression"));
  return {
    inputs,
    outputs: valueOf(func.body),
    scalars,
    anchor: get(known, parts.anchor.call, "tensors of an expression"),
  };
}

function computeCall(
  call: Call,
  op: PrimitiveParts["calls"][number]["op"],
  ins: readonly Tensor[],
  target: "c" | "wasm",
): readonly Tensor[] {
  const outTypes = flattenTensorTypes(typeOf(call));
  const outs = op.compute!(
    ins,
    call.attrs,
    computeContext({ ins, argTypes: call.args.map(typeOf), outTypes, origin: call.origin, target }),
  );
  invariant(
    outs.length === outTypes.length,
    `${op.name} computed ${outs.length} tensors, its type has ${outTypes.length}`,
  );
  return outs;
}

/** Field `index` of a flattened tuple; fields may be tuples themselves. */
export function projectFields(tuple: Type, tensors: readonly Tensor[], index: number): readonly Tensor[] {
  invariant(tuple.kind === "tuple-type", "projection of what is not a tuple");
  const before = tuple.fields.slice(0, index).reduce((n, field) => n + flattenTensorTypes(field).length, 0);
  return tensors.slice(before, before + flattenTensorTypes(at(tuple.fields, index, "field")).length);
}

function shapeOf(type: TensorType): readonly number[] {
  const shape = staticShape(type);
  invariant(shape !== null, "dynamic shape past its refusal");
  return shape;
}

/** The value of a rank-0 constant. */
export function scalarImm(data: TensorData): PrimExpr {
  const value = data.data[0]!;
  if (!isFloat(data.dtype)) return intImm(value, data.dtype);
  if (data.dtype.bits > 16) return floatImm(Number(value), data.dtype);
  return floatImm(
    data.dtype.code === "bfloat" ? decodeBfloat16(Number(value)) : decodeFloat16(Number(value)),
    data.dtype,
  );
}
