// Running sums and products.  TVM: python/tvm/topi/scan.py
import { at } from "../../support/assert.ts";
import type { DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import { add, cast, constInt, imm, intImm, load, mul, seq, store, sub } from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { loop, nest } from "./extern-loops.ts";

interface ScanSpec {
  readonly kind: "sum" | "prod";
  /** Axis that the scan runs along. */
  readonly axis: number;
  readonly dtype: DType;
  /** Element i combines those before i only. */
  readonly exclusive: boolean;
}

export function scan(x: Tensor, spec: ScanSpec, origin: Origin): Tensor {
  const combine = spec.kind === "sum" ? add : mul;
  return extern(
    [x],
    [{ shape: x.shape, dtype: spec.dtype }],
    ([from], [to]) => scanBody(from, to, spec, combine, origin),
    { name: `cum${spec.kind}_generic`, origin },
  )[0];
}

function scanBody(
  from: Buffer,
  to: Buffer,
  spec: ScanSpec,
  combine: (a: PrimExpr, b: PrimExpr) => PrimExpr,
  origin: Origin,
): Stmt {
  const extent = at(from.shape, spec.axis, "axis of the scan");
  if (constInt(extent) === 0) return seq([], origin);
  const others = from.shape.filter((_, i) => i !== spec.axis);
  return nest(others, origin, (outer) => {
    const place = (k: PrimExpr): PrimExpr[] => [...outer.slice(0, spec.axis), k, ...outer.slice(spec.axis)];
    const value = (k: PrimExpr): PrimExpr => cast(load(from, place(k)), spec.dtype);
    const first = spec.exclusive ? imm(spec.kind === "sum" ? 0 : 1, spec.dtype) : value(intImm(0));
    const rest = loop(sub(extent, 1), "k", origin, (k) => {
      const next = add(k, 1);
      return store(to, place(next), combine(load(to, place(k)), value(spec.exclusive ? k : next)), origin);
    });
    return seq([store(to, place(intImm(0)), first, origin), rest], origin);
  });
}
