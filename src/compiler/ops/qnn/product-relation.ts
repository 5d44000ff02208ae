// The type of a quantised convolution or fully connected layer.
// TVM: src/relay/qnn/op/convolution.cc, convolution_transpose.cc, dense.cc (QnnConv2DRel and its like)
import { at } from "../../../support/assert.ts";
import { axisOf, knownLayout } from "../../ir/layout.ts";
import type { Dim, TensorType, Type } from "../../ir/type.ts";
import { oneOf, type Asker } from "../_shared/type-helpers.ts";
import { byteTypes, channelParam, quantisedArg, scalarParam } from "./arguments.ts";

export const productInputs = [
  "data",
  "weight",
  "input_zero_point",
  "weight_zero_point",
  "input_scale",
  "weight_scale",
] as const;

type Input = (typeof productInputs)[number];
type Param = Exclude<Input, "data" | "weight">;

interface Operands {
  readonly data: TensorType;
  readonly weight: TensorType;
}

interface QnnProductSpec {
  readonly outDType: { readonly given: string | null; readonly allowed: readonly string[] };
  /** The float operator's type of these. */
  readonly relation: (types: Operands) => TensorType | null;
  readonly channels: (result: TensorType, types: Operands) => Dim;
  readonly scalars: readonly Param[];
  /** Those that may have a number a channel. */
  readonly byChannel: readonly Param[];
}

/** null while unknown or after reporting. */
export function qnnProductRelation(
  cx: Asker,
  args: Readonly<Record<Input, Type>>,
  { outDType, relation, channels, scalars, byChannel }: QnnProductSpec,
): TensorType | null {
  const data = quantisedArg(cx, "data", args.data, byteTypes);
  const weight = quantisedArg(cx, "weight", args.weight, byteTypes);
  if (data === null || weight === null || !oneOf(cx, "out_dtype", outDType.given ?? "", outDType.allowed))
    return null;
  const result = relation({ data, weight });
  if (result === null || !scalars.every((name) => scalarParam(cx, name, args[name]))) return null;
  const count = channels(result, { data, weight });
  return byChannel.every((name) => channelParam(cx, name, args[name], count)) ? result : null;
}

interface ConvAttrs {
  readonly data_layout: string;
  readonly out_layout: string;
  readonly out_dtype: string | null;
}

/** What a convolution says of its result. */
export function convResult({
  data_layout: data,
  out_layout: out,
  out_dtype: given,
}: ConvAttrs): Pick<QnnProductSpec, "outDType" | "channels"> {
  const layout = out === "" ? data : out;
  return {
    outDType: { given, allowed: ["int32", "int16"] },
    channels: ({ shape }) => at(shape, axisOf(knownLayout(layout, "NCHW"), "C"), "input axis"),
  };
}
