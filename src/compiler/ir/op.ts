// OpCore: what the Relay layer must know of an operator. ops/define.ts adds compute, schedule, docs,
// examples.
// TVM: include/tvm/ir/op.h, include/tvm/relay/op_attr_types.h
import type { DiagnosticCode } from "./diagnostic-codes.ts";
import type { AttrSchema, Attrs } from "./attrs.ts";
import type { DiagnosticParts } from "./diagnostic.ts";
import type { Dim, Type } from "./type.ts";

/** TOpPattern. Edges of IndexedForwardGraph use the same numbers. */
export const OpPattern = {
  elemWise: 0,
  broadcast: 1,
  injective: 2,
  commReduce: 3,
  outEWiseFusable: 4,
  tuple: 7,
  opaque: 8,
} as const;
export type OpPattern = (typeof OpPattern)[keyof typeof OpPattern];

/** What a type relation may ask and say. */
export interface TypeReporter {
  /**
   * Records that two types must be equal (fills IncompleteType holes). Returns false after reporting a
   * mismatch.
   */
  unify(a: Type, b: Type): boolean;
  /** Whether two dimensions may be equal; `?` may equal anything. */
  dimEqual(a: Dim, b: Dim): boolean;
  /**
   * Reports against the call whose relation this is; returns null so that a relation can `return
   * t.error(...)`.
   */
  error(code: DiagnosticCode, message: string, parts?: DiagnosticParts): null;
}

/**
 * Positional argument types in, result type out. null: cannot say yet (an argument is incomplete), or an
 * error was reported.
 */
type TypeRelation = (args: readonly Type[], attrs: Attrs, t: TypeReporter) => Type | null;

export interface OpCore {
  readonly name: string;
  /** Argument names, TVM's. */
  readonly inputs: readonly string[];
  /** True if the (only) argument is a tuple of tensors, as for concatenate. */
  readonly tupleInput: boolean;
  readonly attrs: AttrSchema;
  /** TVM's type key of the attributes, "relay.attrs.Conv2DAttrs"; null if it has none. */
  readonly attrsKey: string | null;
  readonly pattern: OpPattern;
  readonly relation: TypeRelation;
  /**
   * TNonComputational: split from fusion decisions and cost; e.g. annotation.stop_fusion is opaque and has no
   * compute.
   */
  readonly nonComputational: boolean;
  /** TReshapeOp: same elements in the same order. */
  readonly reshapeOnly: boolean;
  /** TOpIsStateful. */
  readonly stateful: boolean;
  /** TVM registers no TOpPattern: it must be gone before FuseOps. */
  readonly noPattern?: boolean;
  /**
   * TVM registers the operator without its attributes' type, so text with metadata has meta[attrsKey][n] in
   * place of them.
   */
  readonly attrsInMeta?: boolean;
}

/** Name -> operator. */
export type OpTable<O extends OpCore = OpCore> = ReadonlyMap<string, O>;
