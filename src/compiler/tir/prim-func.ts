// PrimFunc: one lowered function.  TVM: include/tvm/tir/function.h
import type { Origin } from "../ir/origin.ts";
import type { Buffer } from "./expr.ts";
import type { Stmt } from "./stmt.ts";

export interface PrimFunc {
  readonly kind: "prim-func";
  /** Linker name, "tvmgen_default_fused_add". */
  readonly name: string;
  /** Pointer parameters in call order: inputs, then outputs. Scope "param". */
  readonly params: readonly Buffer[];
  /** How many of params are inputs. */
  readonly inputCount: number;
  /**
   * Function-wide allocations as a flat list (the AOT main has thousands; kernels use Allocate statements and
   * leave this empty).
   */
  readonly allocations: readonly Buffer[];
  readonly body: Stmt;
  readonly attrs: Readonly<Record<string, string | number>>;
  readonly origin: Origin;
}
