// Pools of regions against plain loops in float64.
import { expect, test } from "vitest";
import { at, build, disagreement, runCall, type Nd } from "../../../testing/harness/op-runner.ts";

const regions = [0, 0.5, 1, 4.2, 3.9, 0, 2, 2, 2, 2, 0, -3, -2, 20, 7];

function sample(x: Nd, channel: number, y: number, column: number): number {
  const [, , h, w] = x.shape;
  if (y < -1 || column < -1 || y > h! || column > w!) return 0;
  const [cy, cx] = [Math.min(Math.max(y, 0), h! - 1), Math.min(Math.max(column, 0), w! - 1)];
  const [y0, x0] = [Math.floor(cy), Math.floor(cx)];
  const get = (r: number, c: number): number => at(x, 0, channel, Math.min(r, h! - 1), Math.min(c, w! - 1));
  const [fy, fx] = [cy - y0, cx - x0];
  return (
    (get(y0, x0) * (1 - fx) + get(y0, x0 + 1) * fx) * (1 - fy) +
    (get(y0 + 1, x0) * (1 - fx) + get(y0 + 1, x0 + 1) * fx) * fy
  );
}

test.each([
  ["avg", 2, 1],
  ["max", 2, 1],
  ["avg", -1, 0.5],
] as const)("roi_align, %s of %i samples, scale %f", (mode, ratio, scale) => {
  const attrs = { pooled_size: [2, 3], spatial_scale: scale, sample_ratio: ratio, mode };
  const {
    ins: [x],
    outs,
  } = runCall(
    "vision.roi_align",
    { name: "", args: ["Tensor[(1, 2, 6, 5), float32]", "Tensor[(3, 5), float32]"], attrs },
    { values: new Map([[1, regions]]) },
  );
  const wanted = build([3, 2, 2, 3], ([r, c, ph, pw]) => {
    const [, x1, y1, x2, y2] = regions.slice(r! * 5, r! * 5 + 5).map((v) => v * scale);
    const [binH, binW] = [Math.max(y2! - y1!, 1) / 2, Math.max(x2! - x1!, 1) / 3];
    const [nh, nw] = ratio > 0 ? [ratio, ratio] : [Math.ceil(binH), Math.ceil(binW)];
    const found: number[] = [];
    for (let i = 0; i < nh; i++)
      for (let j = 0; j < nw; j++)
        found.push(
          sample(
            x!,
            c!,
            y1! + ph! * binH + ((i + 0.5) * binH) / nh,
            x1! + pw! * binW + ((j + 0.5) * binW) / nw,
          ),
        );
    return mode === "max" ? Math.max(...found) : found.reduce((a, b) => a + b, 0) / found.length;
  });
  expect(disagreement(outs[0]!, wanted, 1e-4)).toBeNull();
});

test("roi_pool takes whole pixels; an empty bin is 0", () => {
  const {
    ins: [x],
    outs,
  } = runCall(
    "vision.roi_pool",
    {
      name: "",
      args: ["Tensor[(1, 2, 6, 5), float32]", "Tensor[(3, 5), float32]"],
      attrs: { pooled_size: [2, 2], spatial_scale: 1 },
    },
    { values: new Map([[1, regions]]) },
  );
  const round = (v: number): number => Math.sign(v) * Math.floor(Math.abs(v) + 0.5);
  const wanted = build([3, 2, 2, 2], ([r, c, ph, pw]) => {
    const [, x1, y1, x2, y2] = regions.slice(r! * 5, r! * 5 + 5).map(round);
    const [binH, binW] = [Math.max(y2! - y1! + 1, 1) / 2, Math.max(x2! - x1! + 1, 1) / 2];
    const clamp = (v: number, n: number): number => Math.min(Math.max(v, 0), n);
    let best = -Infinity;
    for (
      let y = clamp(Math.floor(ph! * binH + 1e-5) + y1!, 6);
      y < clamp(Math.ceil((ph! + 1) * binH - 1e-5) + y1!, 6);
      y++
    ) {
      for (
        let k = clamp(Math.floor(pw! * binW + 1e-5) + x1!, 5);
        k < clamp(Math.ceil((pw! + 1) * binW - 1e-5) + x1!, 5);
        k++
      )
        best = Math.max(best, at(x!, 0, c!, y, k));
    }
    return best === -Infinity ? 0 : best;
  });
  expect(disagreement(outs[0]!, wanted)).toBeNull();
});
