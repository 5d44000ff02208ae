// Attributes and type relation that layer, instance and group normalisation share.
// TVM: src/relay/op/nn/nn.cc (LayerNormRel, …)
import { at } from "../../../support/assert.ts";
import { flag, float, int, type AttrField } from "../../ir/attrs.ts";
import { printType, tensorType, type TensorType, type Type } from "../../ir/type.ts";
import { acceptsDType } from "../math/unary.ts";
import { axisArg, fillArgument, tensorArg, type Asker } from "../_shared/type-helpers.ts";

type NormSchema = {
  readonly axis: AttrField<number>;
  readonly epsilon: AttrField<number>;
  readonly center: AttrField<boolean>;
  readonly scale: AttrField<boolean>;
};

export function normAttrs(axis: number): NormSchema {
  return {
    axis: int({ default: axis, doc: "Axis along which gamma and beta run." }),
    epsilon: float({ default: 1e-5, doc: "Added to the variance." }),
    center: flag({ default: true, doc: "Add beta." }),
    scale: flag({ default: true, doc: "Multiply by gamma." }),
  };
}

/** The data's type, with gamma and beta filled in as vectors along `axis`. */
export function normRelation(
  cx: Asker,
  args: { readonly data: Type; readonly gamma: Type; readonly beta: Type },
  axis: number,
): TensorType | null {
  const type = tensorArg(cx, "data", args.data);
  if (type === null || !acceptsDType(cx, "data", type, "float")) return null;
  const place = axisArg(cx, axis, type.shape.length);
  if (place === null) return null;
  const wanted = tensorType([at(type.shape, place, "input axis")], type.dtype);
  const because = `there is one number a position along axis ${place} of ${printType(type)}`;
  return fillArgument(cx, "gamma", args.gamma, { wanted, because }) &&
    fillArgument(cx, "beta", args.beta, { wanted, because })
    ? type
    : null;
}
