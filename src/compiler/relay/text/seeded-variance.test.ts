import { expect, it } from "vitest";
import { ops } from "../../ops/index.ts";
import { idSource } from "../../ir/ids.ts";
import { postOrder } from "../visit.ts";
import { parseRelay } from "./parse.ts";

it("seeds a batch norm's variance with positive values and leaves its mean as the recipe says", () => {
  const text = `def @main(%x: Tensor[(1, 8, 2, 2), float32]) {
  %0 = nn.batch_norm(%x, meta[relay.Constant][0] /* ty=Tensor[(8), float32] */, meta[relay.Constant][1] /* ty=Tensor[(8), float32] */, meta[relay.Constant][2] /* ty=Tensor[(8), float32] */, meta[relay.Constant][3] /* ty=Tensor[(8), float32] */);
  %0.0
}`;
  const { module, seededConstants, hasErrors } = parseRelay(text, { ids: idSource(), ops, diagnostics: [] });
  expect({ seededConstants, hasErrors }).toEqual({ seededConstants: 4, hasErrors: false });
  const values: number[][] = [];
  postOrder(module.functions.get("main")!.body, (expr) => {
    if (expr.kind === "constant") values.push(Array.from(expr.data.data, Number));
  });
  expect(values[3]!.every((v) => v >= 0.5)).toBe(true);
  expect(values[2]!.some((v) => v < 0)).toBe(true);
});
