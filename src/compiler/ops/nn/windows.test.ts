// Moved windows, compared patches, gradients of pools and a moving buffer against plain loops.
import { describe, expect, test } from "vitest";
import {
  at,
  build,
  disagreement,
  runCall,
  total,
  typeOfCall,
  type Nd,
} from "../../../testing/harness/op-runner.ts";

/** The image (H, W) of one channel at a real position, interpolated; 0 outside. */
function sampled(
  pixel: (y: number, x: number) => number,
  [h, w]: readonly [number, number],
  y: number,
  x: number,
): number {
  if (y < 0 || x < 0 || y >= h || x >= w) return 0;
  const [top, left] = [Math.floor(y), Math.floor(x)];
  const [bottom, right] = [Math.min(top + 1, h - 1), Math.min(left + 1, w - 1)];
  const [fy, fx] = [y - top, x - left];
  return (
    (pixel(top, left) * (1 - fx) + pixel(top, right) * fx) * (1 - fy) +
    (pixel(bottom, left) * (1 - fx) + pixel(bottom, right) * fx) * fy
  );
}

interface Deformed {
  readonly strides: readonly [number, number];
  readonly padding: readonly [number, number];
  readonly dilation: readonly [number, number];
  readonly groups: number;
  readonly deformable_groups: number;
}

describe.each<Deformed>([
  { strides: [1, 1], padding: [1, 1], dilation: [1, 1], groups: 1, deformable_groups: 1 },
  { strides: [2, 1], padding: [2, 0], dilation: [2, 1], groups: 1, deformable_groups: 2 },
  { strides: [1, 2], padding: [0, 1], dilation: [1, 2], groups: 2, deformable_groups: 1 },
])("deformable_conv2d %j", (d) => {
  const [channels, h, w, out, kh, kw] = [4, 6, 7, 4, 3, 2];
  const [oh, ow] = [
    Math.floor((h + 2 * d.padding[0] - d.dilation[0] * (kh - 1) - 1) / d.strides[0]) + 1,
    Math.floor((w + 2 * d.padding[1] - d.dilation[1] * (kw - 1) - 1) / d.strides[1]) + 1,
  ];
  const moves = 2 * kh * kw * d.deformable_groups;

  test.each(["NCHW", "NHWC"])("%s", (layout) => {
    const plain = layout === "NCHW";
    const typed = (n: number, c: number, y: number, x: number): string =>
      `Tensor[(${(plain ? [n, c, y, x] : [n, y, x, c]).join(", ")}), float32]`;
    const per = channels / d.groups;
    const args = [
      typed(2, channels, h, w),
      typed(2, moves, oh, ow),
      `Tensor[(${(plain ? [out, per, kh, kw] : [kh, kw, per, out]).join(", ")}), float32]`,
    ];
    const attrs = {
      ...d,
      kernel_size: [kh, kw],
      channels: out,
      data_layout: layout,
      kernel_layout: plain ? "OIHW" : "HWIO",
    };
    const { ins, outs } = runCall("nn.deformable_conv2d", { name: "", args, attrs });
    const [data, offset, weight] = ins as [Nd, Nd, Nd];
    const get = (of: Nd, n: number, c: number, y: number, x: number): number =>
      plain ? at(of, n, c, y, x) : at(of, n, y, x, c);
    const factor = (o: number, i: number, ky: number, kx: number): number =>
      plain ? at(weight, o, i, ky, kx) : at(weight, ky, kx, i, o);
    const sum = (n: number, o: number, y: number, x: number): number =>
      total(per, (i) =>
        total(kh, (ky) =>
          total(kw, (kx) => {
            const c = Math.floor(o / (out / d.groups)) * per + i;
            const first = 2 * (Math.floor(c / (channels / d.deformable_groups)) * kh * kw + ky * kw + kx);
            const place = (axis: 0 | 1, index: number, k: number): number =>
              index * d.strides[axis] -
              d.padding[axis] +
              k * d.dilation[axis] +
              get(offset, n, first + axis, y, x);
            return (
              factor(o, i, ky, kx) *
              sampled((r, s) => get(data, n, c, r, s), [h, w], place(0, y, ky), place(1, x, kx))
            );
          }),
        ),
      );
    const wanted = plain
      ? build([2, out, oh, ow], ([n, o, y, x]) => sum(n!, o!, y!, x!))
      : build([2, oh, ow, out], ([n, y, x, o]) => sum(n!, o!, y!, x!));
    expect(disagreement(outs[0]!, wanted)).toBeNull();
  });
});

test("deformable_conv2d gives its offsets and weight their types", () => {
  const typed = typeOfCall("nn.deformable_conv2d", ["Tensor[(1, 4, 5, 5), float32]", "?", "?"], {
    channels: 2,
    kernel_size: [3, 3],
    padding: [1, 1],
    deformable_groups: 2,
  });
  expect(typed.diagnostics).toEqual([]);
  expect(typed.filled.get(1)).toMatchObject({ shape: [1, 36, 5, 5] });
  expect(
    typeOfCall("nn.deformable_conv2d", ["Tensor[(1, 4, 5, 5), float32]", "?", "?"], {
      channels: 2,
      kernel_size: [3, 3],
      deformable_groups: 3,
    }).diagnostics,
  ).toMatchObject([{ code: "RS2108" }]);
});

describe.each([
  [1, 2, 1, 1, true],
  [3, 3, 2, 2, false],
  [3, 4, 1, 3, true],
] as const)(
  "correlation, kernel %i, displacement %i, strides %i and %i, products %s",
  (kernel, reach, stride1, stride2, product) => {
    test("NCHW", () => {
      const [n, c, h, w, pad] = [2, 3, 7, 6, 4];
      const {
        ins: [one, other],
        outs,
      } = runCall("nn.correlation", {
        name: "",
        args: Array<string>(2).fill(`Tensor[(${n}, ${c}, ${h}, ${w}), float32]`),
        attrs: {
          kernel_size: kernel,
          max_displacement: reach,
          stride1,
          stride2,
          padding: [pad, pad],
          is_multiply: product,
        },
      });
      const border = reach + (kernel - 1) / 2;
      const radius = Math.floor(reach / stride2);
      const side = 2 * radius + 1;
      const count = (extent: number): number =>
        Math.floor((extent + 2 * pad - 2 * border + stride1 - 1) / stride1);
      const pixel = (of: Nd, b: number, channel: number, y: number, x: number): number =>
        y < 0 || x < 0 || y >= h || x >= w ? 0 : at(of, b, channel, y, x);
      const wanted = build([n, side * side, count(h), count(w)], ([b, q, i, j]) => {
        const [y, x] = [i! * stride1 + reach - pad, j! * stride1 + reach - pad];
        const [dy, dx] = [(Math.floor(q! / side) - radius) * stride2, ((q! % side) - radius) * stride2];
        return (
          total(c, (channel) =>
            total(kernel, (ky) =>
              total(kernel, (kx) => {
                const [a, z] = [
                  pixel(one!, b!, channel, y + ky, x + kx),
                  pixel(other!, b!, channel, y + dy + ky, x + dx + kx),
                ];
                return product ? a * z : Math.abs(a - z);
              }),
            ),
          ) /
          (kernel * kernel * c)
        );
      });
      expect(disagreement(outs[0]!, wanted)).toBeNull();
    });
  },
);

/** All indices into a tensor of these extents, row-major. */
function indices(...extents: readonly number[]): (readonly number[])[] {
  return extents.reduce<(readonly number[])[]>(
    (found, extent) => found.flatMap((index) => Array.from({ length: extent }, (_, i) => [...index, i])),
    [[]],
  );
}

test("correlation refuses what leaves no patch, and even kernels", () => {
  const codes = (attrs: Record<string, number>) =>
    typeOfCall(
      "nn.correlation",
      ["Tensor[(1, 1, 4, 4), float32]", "Tensor[(1, 1, 4, 4), float32]"],
      attrs,
    ).diagnostics.map(({ code }) => code);
  expect([codes({ max_displacement: 2 }), codes({ kernel_size: 2 }), codes({})]).toEqual([
    ["RS2111"],
    ["RS2108"],
    [],
  ]);
});

describe.each([
  ["nn.max_pool2d_grad", false],
  ["nn.avg_pool2d_grad", false],
  ["nn.avg_pool2d_grad", true],
] as const)("%s, count_include_pad=%s", (name, counted) => {
  test.each([
    [
      [2, 2],
      [2, 2],
      [0, 0, 0, 0],
      [1, 1],
    ],
    [
      [3, 2],
      [2, 1],
      [1, 0, 2, 1],
      [1, 1],
    ],
    [
      [2, 2],
      [1, 1],
      [1, 1, 1, 1],
      [2, 2],
    ],
  ] as const)("window %j, strides %j, padding %j, dilation %j", (window, strides, padding, dilation) => {
    const [h, w] = [7, 6];
    const [oh, ow] = [0, 1].map(
      (k) =>
        Math.floor(
          ([h, w][k]! + padding[k]! + padding[k + 2]! - dilation[k]! * (window[k]! - 1) - 1) / strides[k]!,
        ) + 1,
    ) as [number, number];
    const attrs = {
      pool_size: window,
      strides,
      padding,
      dilation,
      ...(name === "nn.avg_pool2d_grad" ? { count_include_pad: counted } : {}),
    };
    const {
      ins: [grad, data],
      outs,
    } = runCall(name, {
      name: "",
      args: [`Tensor[(1, 2, ${oh}, ${ow}), float32]`, `Tensor[(1, 2, ${h}, ${w}), float32]`],
      attrs,
    });
    const values = Array<number>(2 * h * w).fill(0);
    for (const [c, i, j] of indices(2, oh, ow)) {
      const spots = indices(...window)
        .map(
          ([ky, kx]) =>
            [
              i! * strides[0] - padding[0] + ky! * dilation[0],
              j! * strides[1] - padding[1] + kx! * dilation[1],
            ] as const,
        )
        .filter(([y, x]) => y >= 0 && x >= 0 && y < h && x < w);
      const given = at(grad!, 0, c!, i!, j!);
      const best = spots.reduce((one, other) =>
        at(data!, 0, c!, ...other) > at(data!, 0, c!, ...one) ? other : one,
      );
      const shares =
        name === "nn.max_pool2d_grad"
          ? [[...best, given] as const]
          : spots.map((spot) => [...spot, given / (counted ? window[0] * window[1] : spots.length)] as const);
      for (const [y, x, value] of shares) values[(c! * h + y) * w + x]! += value;
    }
    expect(disagreement(outs[0]!, { shape: [1, 2, h, w], values })).toBeNull();
  });
});

test("a gradient of another shape is refused", () => {
  expect(
    typeOfCall("nn.max_pool2d_grad", ["Tensor[(1, 2, 3, 4), float32]", "Tensor[(1, 2, 6, 6), float32]"], {
      pool_size: [2, 2],
      strides: [2, 2],
    }).diagnostics,
  ).toMatchObject([{ code: "RS2105" }]);
});

test.each([
  [0, [2, 3], [5, 3]],
  [-1, [2, 1], [2, 4]],
  [1, [1, 3, 2], [1, 3, 2]],
] as const)("fifo_buffer along axis %i", (axis, dataShape, heldShape) => {
  const {
    ins: [data, held],
    outs,
  } = runCall("nn.fifo_buffer", {
    name: "",
    args: [`Tensor[(${dataShape.join(", ")}), float32]`, `Tensor[(${heldShape.join(", ")}), float32]`],
    attrs: { axis },
  });
  const along = axis < 0 ? axis + heldShape.length : axis;
  const size = dataShape[along]!;
  expect(outs[0]).toEqual(
    build(heldShape, (i) => {
      const place = i[along]! + size;
      const moved = (value: number): number[] => i.map((index, k) => (k === along ? value : index));
      return place < heldShape[along]!
        ? at(held!, ...moved(place))
        : at(data!, ...moved(place - heldShape[along]!));
    }),
  );
  expect(
    typeOfCall("nn.fifo_buffer", ["Tensor[(3, 2), float32]", "Tensor[(2, 2), float32]"]).diagnostics,
  ).toMatchObject([{ code: "RS2105" }]);
});
