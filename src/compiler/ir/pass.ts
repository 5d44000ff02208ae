// Pass and PassContext.  TVM: include/tvm/ir/transform.h
import type { Options } from "../options.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { IdSource } from "./ids.ts";
import type { OpCore, OpTable } from "./op.ts";
import type { Remark } from "./remark.ts";

/**
 * When the rules of the IRs (relay/verify.ts, tir/verify.ts) are checked: never, at the ends of stages, or
 * after every pass too.
 */
export type VerifyAt = "never" | "stages" | "passes";

export interface PassContext<O extends OpCore = OpCore> {
  readonly ids: IdSource;
  readonly ops: OpTable<O>;
  readonly options: Options;
  readonly verify: VerifyAt;
  /** Append only. */
  readonly diagnostics: Diagnostic[];
  /** Append only. */
  readonly remarks: Remark[];
}

/** A pure function on immutable data: nothing to do means the same object comes back. */
export interface Pass<U, C extends PassContext = PassContext> {
  /** TVM's name, exactly: "FuseOps", "SimplifyInference". */
  readonly name: string;
  readonly optLevel: 0 | 1 | 2 | 3 | 4;
  /** Names of passes that must run before; run each time, as Sequential does. */
  readonly requires: readonly string[];
  readonly run: (unit: U, cx: C) => U;
}
