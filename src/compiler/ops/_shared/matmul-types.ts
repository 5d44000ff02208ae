// Type relations of matrix products.  TVM: src/relay/op/nn/nn.h (MatmulRel, BatchMatmulRel)
import { at, first } from "../../../support/assert.ts";
import { anyDim, printType, tensorType, type Dim, type TensorType, type Type } from "../../ir/type.ts";
import { checkRank, dtypeOf, fillArgument, tensorArg, type Asker } from "./type-helpers.ts";

interface MatmulAttrs {
  readonly units: number | null;
  readonly out_dtype: string | null;
  readonly transpose_a: boolean;
  readonly transpose_b: boolean;
}

/** a (..., K) times a matrix of `units` columns; with units given the second argument's type is filled in. */
export function matmulRelation(
  cx: Asker,
  args: readonly [readonly [string, Type], readonly [string, Type]],
  attrs: MatmulAttrs,
): TensorType | null {
  const [[nameA, typeA], [nameB, typeB]] = args;
  const a = tensorArg(cx, nameA, typeA);
  if (a === null) return null;
  const rank = a.shape.length;
  const least = attrs.transpose_a ? 2 : 1;
  if (rank < least) {
    return cx.t.error("RS2106", `${cx.op}: argument \`${nameA}\` has the wrong rank`, {
      expected: `rank ${least} or more`,
      got: printType(a),
    });
  }
  const inner = at(a.shape, rank - (attrs.transpose_a ? 2 : 1), "left operand axis");
  const shape: Dim[] = [...a.shape];
  if (attrs.transpose_a) shape[rank - 2] = at(a.shape, rank - 1, "left operand axis");
  const units = unitsOf(cx, args, attrs, inner);
  if (units === null) return null;
  shape[rank - 1] = units;
  const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, a.dtype);
  if (dtype === null) return null;
  return typeB.kind === "tensor-type" && !checkRank(cx, nameB, typeB, [2]) ? null : tensorType(shape, dtype);
}

function unitsOf(
  cx: Asker,
  args: readonly [readonly [string, Type], readonly [string, Type]],
  attrs: MatmulAttrs,
  inner: Dim,
): Dim | null {
  const [[nameA, typeA], [nameB, typeB]] = args;
  const hint = attrs.transpose_b
    ? "rows of the weight are as long as those of the data"
    : "the weight has as many rows as the data's rows are long";
  if (attrs.units !== null) {
    const dtype = typeB.kind === "tensor-type" ? typeB.dtype : (typeA as TensorType).dtype;
    const wanted = tensorType(attrs.transpose_b ? [attrs.units, inner] : [inner, attrs.units], dtype);
    return fillArgument(cx, nameB, typeB, {
      wanted,
      because: `\`${nameA}\` is ${printType(typeA)} and units=${attrs.units}; ${hint}`,
    })
      ? attrs.units
      : null;
  }
  const b = tensorArg(cx, nameB, typeB);
  if (b === null || !checkRank(cx, nameB, b, [2])) return null;
  const [units, length] = attrs.transpose_b
    ? [first(b.shape, "right operand axis"), at(b.shape, 1, "right operand axis")]
    : [at(b.shape, 1, "right operand axis"), first(b.shape, "right operand axis")];
  if (cx.t.dimEqual(inner, length)) return units;
  return cx.t.error(
    "RS2105",
    `${cx.op}: the inner dimensions of \`${nameA}\` and \`${nameB}\` do not match`,
    { expected: "equal lengths", got: `${printType(typeA)} and ${printType(b)}`, because: hint },
  );
}

/** (B, I, K) times (B, K, J), each perhaps transposed; a batch of 1 serves all. */
export function batchMatmulRelation(
  cx: Asker,
  args: readonly [readonly [string, Type], readonly [string, Type]],
  attrs: Omit<MatmulAttrs, "units">,
): TensorType | null {
  const a = tensorArg(cx, args[0][0], args[0][1]);
  const b = tensorArg(cx, args[1][0], args[1][1]);
  if (a === null || b === null || !checkRank(cx, args[0][0], a, [3]) || !checkRank(cx, args[1][0], b, [3]))
    return null;
  const [batchA, batchB] = [first(a.shape, "left operand axis"), first(b.shape, "right operand axis")];
  const got = `${printType(a)} and ${printType(b)}`;
  if (batchA !== 1 && batchB !== 1 && !cx.t.dimEqual(batchA, batchB)) {
    return cx.t.error(
      "RS2105",
      `${cx.op}: the batches of \`${args[0][0]}\` and \`${args[1][0]}\` do not match`,
      { expected: "equal batches, or 1", got },
    );
  }
  if (
    !cx.t.dimEqual(
      at(a.shape, attrs.transpose_a ? 1 : 2, "left operand axis"),
      at(b.shape, attrs.transpose_b ? 2 : 1, "right operand axis"),
    )
  ) {
    return cx.t.error(
      "RS2105",
      `${cx.op}: the inner dimensions of \`${args[0][0]}\` and \`${args[1][0]}\` do not match`,
      {
        expected: `dimension ${attrs.transpose_a ? 1 : 2} of ${args[0][0]} equal to dimension ${attrs.transpose_b ? 2 : 1} of ${args[1][0]}`,
        got,
        hint: "set transpose_a or transpose_b (both default to false in the text format)",
      },
    );
  }
  const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, a.dtype);
  if (dtype === null) return null;
  const batch =
    typeof batchA === "number" && typeof batchB === "number"
      ? batchA === 1
        ? batchB
        : batchA
      : batchA === batchB
        ? batchA
        : anyDim;
  return tensorType(
    [
      batch,
      at(a.shape, attrs.transpose_a ? 2 : 1, "left operand axis"),
      at(b.shape, attrs.transpose_b ? 1 : 2, "right operand axis"),
    ],
    dtype,
  );
}
