// Resampling along one axis against the ONNX definition, in float64; two axes are one after the other.
import { expect, test } from "vitest";
import { build, at, disagreement, runCall, type Nd } from "../../../testing/harness/op-runner.ts";

type Rule = (i: number, n: number, m: number) => number;

const coordinate: Readonly<Record<string, Rule>> = {
  half_pixel: (i, n, m) => ((i + 0.5) * n) / m - 0.5,
  align_corners: (i, n, m) => (i * (n - 1)) / (m - 1),
  asymmetric: (i, n, m) => (i * n) / m,
  pytorch_half_pixel: (i, n, m) => (m > 1 ? ((i + 0.5) * n) / m - 0.5 : 0),
  tf_half_pixel_for_nn: (i, n, m) => ((i + 0.5) * n) / m,
};

const round: Readonly<Record<string, (x: number) => number>> = {
  round: (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5),
  floor: (x) => Math.floor(x + 1e-5),
  ceil: (x) => Math.ceil(x - 1e-5),
  round_prefer_floor: (x) => Math.ceil(x - 0.5),
  round_prefer_ceil: (x) => Math.floor(x + 0.5),
};

function cubic(distance: number, a: number): number {
  const x = Math.abs(distance);
  if (x <= 1) return (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1;
  return x < 2 ? a * x ** 3 - 5 * a * x ** 2 + 8 * a * x - 4 * a : 0;
}

/** Resamples the last axis to m elements. */
function lastAxis(x: Nd, m: number, method: string, mode: string, rounding: string): Nd {
  const n = x.shape.at(-1)!;
  return build([...x.shape.slice(0, -1), m], (index) => {
    const get = (k: number): number => at(x, ...index.slice(0, -1), Math.min(Math.max(k, 0), n - 1));
    const place = coordinate[mode]!(index.at(-1)!, n, m);
    if (method === "nearest_neighbor") return get(round[rounding]!(place));
    const low = Math.floor(place);
    const reach = method === "linear" ? [0, 1] : [-1, 0, 1, 2];
    return reach.reduce(
      (sum, k) =>
        sum +
        get(low + k) * (method === "linear" ? 1 - Math.abs(place - low - k) : cubic(place - low - k, -0.5)),
      0,
    );
  });
}

test.each(
  ["linear", "cubic"].flatMap((method) => Object.keys(coordinate).map((mode) => [method, mode] as const)),
)("%s, %s", (method, mode) => {
  for (const size of [3, 7, 10]) {
    const { ins, outs } = runCall("image.resize1d", {
      name: "",
      args: ["Tensor[(1, 2, 5), float32]"],
      attrs: { size: [size], method, coordinate_transformation_mode: mode },
    });
    expect(disagreement(outs[0]!, lastAxis(ins[0]!, size, method, mode, ""))).toBeNull();
  }
});

test.each(Object.keys(round))("nearest, %s", (rounding) => {
  for (const [size, mode] of [
    [3, "half_pixel"],
    [10, "asymmetric"],
    [7, "asymmetric"],
    [9, "align_corners"],
  ] as const) {
    const attrs = {
      size: [size],
      method: "nearest_neighbor",
      coordinate_transformation_mode: mode,
      rounding_method: rounding,
    };
    const { ins, outs } = runCall("image.resize1d", {
      name: "",
      args: ["Tensor[(1, 2, 5), float32]"],
      attrs,
    });
    expect(disagreement(outs[0]!, lastAxis(ins[0]!, size, "nearest_neighbor", mode, rounding))).toBeNull();
  }
});

test.each(["linear", "cubic"])("%s of two axes is one axis after the other", (method) => {
  const { ins, outs } = runCall("image.resize2d", {
    name: "",
    args: ["Tensor[(1, 2, 4, 5), float32]"],
    attrs: { size: [7, 3], method },
  });
  const across = lastAxis(ins[0]!, 3, method, "half_pixel", "");
  const turned = build([1, 2, 3, 4], ([n, c, w, h]) => at(across, n!, c!, h!, w!));
  const down = lastAxis(turned, 7, method, "half_pixel", "");
  expect(
    disagreement(
      outs[0]!,
      build([1, 2, 7, 3], ([n, c, h, w]) => at(down, n!, c!, w!, h!)),
    ),
  ).toBeNull();
});

test("NHWC and another dtype", () => {
  const { ins, outs, outTypes } = runCall("image.resize2d", {
    name: "",
    args: ["Tensor[(1, 2, 2, 3), uint8]"],
    attrs: {
      size: [4, 4],
      layout: "NHWC",
      method: "nearest_neighbor",
      coordinate_transformation_mode: "asymmetric",
      rounding_method: "floor",
      out_dtype: "float32",
    },
  });
  expect(outTypes[0]!.dtype.name).toBe("float32");
  expect(outs[0]).toEqual(
    build([1, 4, 4, 3], ([, y, x, c]) => at(ins[0]!, 0, Math.floor(y! / 2), Math.floor(x! / 2), c!)),
  );
});
