import { describe, expect, it } from "vitest";
import { anyAttr } from "../../ir/attrs.ts";
import { anyDim, tensorType, type Type } from "../../ir/type.ts";
import { ops } from "../../ops/index.ts";
import { printModule } from "../text/print.ts";
import type { RelayOp } from "../op.ts";
import { call } from "../build.ts";
import { compareRelay } from "../../../testing/harness/relay-compare.ts";
import { withJit } from "../../../testing/harness/relay-run.ts";
import { standInOp, typedModule } from "../../../testing/harness/relay-text.ts";
import { dynamicToStatic } from "./dynamic-to-static.ts";

/** A reshape whose new shape is a tensor, as dyn.reshape is. */
function dynamicReshape(args: readonly Type[]): Type | null {
  const [data, shape] = args;
  if (data?.kind !== "tensor-type" || shape?.kind !== "tensor-type" || typeof shape.shape[0] !== "number")
    return null;
  return tensorType(
    Array.from({ length: shape.shape[0] }, () => anyDim),
    data.dtype,
  );
}

const table: ReadonlyMap<string, RelayOp> = new Map<string, RelayOp>([
  ...ops,
  [
    "test.dyn_reshape",
    {
      ...standInOp(
        "test.dyn_reshape",
        ["data", "newshape"],
        { dtype: anyAttr({ doc: "unused", default: null }) },
        dynamicReshape,
      ),
      toStatic: (node, cx) => {
        const [data, shape] = node.args;
        return shape!.kind === "constant"
          ? call(cx, "reshape", [data!], { newshape: [...shape!.data.data].map(Number) }, node.origin)
          : null;
      },
    },
  ],
]);

function after(body: string): string {
  const { module, cx } = typedModule(
    `def @main(%x: Tensor[(2, 6), float32], %y: Tensor[(3, 4), float32]) { ${body} }`,
    table,
  );
  return printModule(dynamicToStatic.run(module, withJit(cx)), { ops: table, showMeta: false, header: false })
    .text;
}

describe("DynamicToStatic", () => {
  it("makes static what takes its shape from a static tensor, one after the other", () => {
    const got = after("%0 = test.dyn_reshape(%x, shape_of(%y)); test.dyn_reshape(exp(%0), shape_of(%0))");
    const wanted =
      "def @main(%a: Tensor[(2, 6), float32], %b: Tensor[(3, 4), float32]) -> Tensor[(3, 4), float32] { %0 = reshape(%a, newshape=[3, 4]) /* ty=Tensor[(3, 4), float32] */; %1 = exp(%0) /* ty=Tensor[(3, 4), float32] */; reshape(%1, newshape=[3, 4]) /* ty=Tensor[(3, 4), float32] */ }";
    expect(compareRelay(wanted, got, { types: true })).toBeNull();
  });

  it("leaves what depends on a value that only running gives", () => {
    expect(after('test.dyn_reshape(%x, cast(take(%y, 0, axis=0), dtype="int32"))')).toContain(
      "test.dyn_reshape",
    );
  });
});
