// A program while it is made: its pieces, and the values that later statements may read.
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import { printType, staticShape, type TensorType, type Type } from "../../compiler/ir/type.ts";
import type { Random } from "./random.ts";
import { randomTensor } from "./values.ts";

export interface ProgramParam {
  readonly name: string;
  readonly type: TensorType;
  readonly value: TensorData;
}

/** `%name = text;` or `let %name = text;`. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly kind: "graph" | "let";
  /** Null for what is no tensor or tuple: functions, references. */
  readonly type: Type | null;
}

export interface Program {
  /** Type and function definitions before main. */
  readonly globals: readonly string[];
  readonly params: readonly ProgramParam[];
  readonly statements: readonly Statement[];
  /** Names that main returns. */
  readonly results: readonly string[];
}

/** A value that later statements may read. */
export interface Known {
  readonly name: string;
  readonly type: Type;
  /** No back end rounds it otherwise than another. */
  readonly exact: boolean;
}

export type KnownTensor = Known & { readonly type: TensorType };

export interface Builder {
  readonly rng: Random;
  readonly globals: string[];
  readonly params: ProgramParam[];
  readonly statements: Statement[];
  readonly pool: Known[];
  /** Share of input elements that are NaN, infinite or at the end of their dtype. */
  readonly edges: number;
  count: number;
}

/** A name that is not taken: numbers are graph variables, `let` binds words. */
export const fresh = (builder: Builder, kind: Statement["kind"] = "graph"): string =>
  `%${kind === "let" ? "v" : ""}${builder.count++}`;

export function addStatement(builder: Builder, statement: Statement, exact: boolean): void {
  builder.statements.push(statement);
  if (statement.type !== null) builder.pool.push({ name: statement.name, type: statement.type, exact });
}

/** A tensor of the pool, null for none. */
export function knownTensor(
  builder: Builder,
  test: (type: TensorType) => boolean = () => true,
): KnownTensor | null {
  const fit = builder.pool.filter(
    (value): value is KnownTensor => value.type.kind === "tensor-type" && test(value.type),
  );
  return fit.length === 0 ? null : builder.rng.pick(fit);
}

export function constantText(builder: Builder, type: TensorType): string {
  const { rng } = builder;
  if (type.shape.length === 0) {
    const value = rng.below(9) - 4;
    if (type.dtype.name === "float32") return `${value / 2}f`;
    if (type.dtype.name === "int32") return String(value);
    if (type.dtype.name === "bool") return value > 0 ? "True" : "False";
  }
  return `meta[relay.Constant][${builder.count++}] /* ty=${printType(type)} */`;
}

interface ParamStyle {
  readonly given?: readonly number[] | undefined;
  readonly least?: number | undefined;
}

export function newParam(builder: Builder, type: TensorType, style: ParamStyle = {}): Known {
  const { rng, edges } = builder;
  const shape = staticShape(type)!;
  const { given, least } = style;
  const value = randomTensor(rng, type.dtype, shape, least === undefined ? { edges } : { edges: 0, least });
  given?.forEach((element, i) => {
    value.data[i] =
      value.data instanceof BigInt64Array || value.data instanceof BigUint64Array
        ? BigInt(Math.trunc(element))
        : element;
  });
  const name = `%p${builder.params.length}`;
  builder.params.push({ name, type, value });
  const known = { name, type, exact: true };
  builder.pool.push(known);
  return known;
}
