// Element-by-element computes of one, two or more tensors.  TVM: include/tvm/topi/elemwise.h, broadcast.h
import type { Origin } from "../ir/origin.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { broadcastAt, broadcastShape } from "./indexing.ts";

/** f of every element. */
export function elementwise(
  x: Tensor,
  name: string,
  origin: Origin,
  f: (value: PrimExpr) => PrimExpr,
): Tensor {
  return compute(x.shape, (indices) => f(x.at(...indices)), { name, tag: "elemwise", origin });
}

/** f of every pair of elements, shapes broadcast. */
export function broadcastPair(
  a: Tensor,
  b: Tensor,
  parts: { readonly name: string; readonly origin: Origin },
  f: (x: PrimExpr, y: PrimExpr) => PrimExpr,
): Tensor {
  const shape = broadcastShape(a.shape, b.shape);
  return compute(shape, (indices) => f(broadcastAt(a, indices, shape), broadcastAt(b, indices, shape)), {
    ...parts,
    tag: "broadcast",
  });
}

/** f of every group of elements, all shapes broadcast together. */
export function broadcastAll(
  tensors: readonly Tensor[],
  parts: { readonly name: string; readonly origin: Origin },
  f: (values: readonly PrimExpr[]) => PrimExpr,
): Tensor {
  const shape = tensors.reduce<readonly PrimExpr[]>(
    (so_far, tensor) => broadcastShape(so_far, tensor.shape),
    [],
  );
  return compute(shape, (indices) => f(tensors.map((tensor) => broadcastAt(tensor, indices, shape))), {
    ...parts,
    tag: "broadcast",
  });
}
