// cumsum and cumprod: attributes, type relation and factory.  TVM: src/relay/op/tensor/transform.cc
// (ScanopRel)
import { dtypeAttr, optionalInt } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { product } from "../../topi/indexing.ts";
import { scan } from "../../topi/scan.ts";
import { reshape } from "../../topi/transform.ts";
import { boolObject } from "../_shared/attr-fields.ts";
import { defineOp, type Op } from "../define.ts";
import { scanShape } from "../_shape-funcs/transform.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, axisArg, dtypeOf, productDim, tensorArg } from "../_shared/type-helpers.ts";

export function defineScan(spec: {
  readonly name: string;
  readonly kind: "sum" | "prod";
  readonly doc: string;
}): Op {
  return defineOp({
    name: spec.name,
    inputs: ["data"],
    attrs: {
      axis: optionalInt({ default: null, doc: "Axis that the scan runs along; None flattens the data." }),
      dtype: dtypeAttr({
        default: null,
        doc: "Dtype of the running value and the result; empty means that of the data.",
      }),
      exclusive: boolObject({ default: false, doc: "Leave every element out of its own result." }),
    },
    attrsKey: "relay.attrs.ScanopAttrs",
    pattern: "opaque",
    type: ({ data }, attrs, t) => {
      const cx = asker(t, spec.name);
      const type = tensorArg(cx, "data", data);
      if (type === null || !acceptsDType(cx, "data", type, "number")) return null;
      const dtype = dtypeOf(cx, "dtype", attrs.dtype, type.dtype);
      if (dtype === null) return null;
      if (attrs.axis === null) return tensorType([productDim(type.shape)], dtype);
      return axisArg(cx, attrs.axis, type.shape.length) === null ? null : tensorType(type.shape, dtype);
    },
    compute: ({ data }, attrs, cx) => {
      const flat =
        attrs.axis === null && data.shape.length !== 1
          ? reshape(data, [product(data.shape)], cx.origin)
          : data;
      const axis = attrs.axis ?? 0;
      return scan(
        flat,
        {
          kind: spec.kind,
          axis: axis < 0 ? axis + flat.shape.length : axis,
          dtype: cx.outType.dtype,
          exclusive: attrs.exclusive === true,
        },
        cx.origin,
      );
    },
    shapeFunc: scanShape,
    schedule: externRecipe,
    flags: { attrsInMeta: true },
    doc: spec.doc,
    examples: [
      { name: "one axis", args: ["Tensor[(3, 5), float32]"], attrs: { axis: 1 } },
      {
        name: "flattened, exclusive",
        args: ["Tensor[(3, 4), int32]"],
        attrs: { dtype: "int64", exclusive: true },
      },
    ],
  });
}
