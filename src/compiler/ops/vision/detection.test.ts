// Anchors, detections and proposals against plain JavaScript.
import { describe, expect, test } from "vitest";
import { at, build, disagreement, runCall, typeOfCall, type Nd } from "../../../testing/harness/op-runner.ts";

const noise = (i: number): number => Math.fround(((Math.imul(i + 1, 2654435761) >>> 8) % 9973) / 9973);

test("multibox_prior", () => {
  const [sizes, ratios] = [
    [0.5, 0.25],
    [1, 2, 0.5],
  ];
  const [h, w] = [4, 2];
  const { outs } = runCall("vision.multibox_prior", {
    name: "",
    args: [`Tensor[(1, 3, ${h}, ${w}), float32]`],
    attrs: { sizes, ratios, steps: [0.2, -1], offsets: [0.5, 0.25] },
  });
  const halves = [
    ...sizes.map((size) => [(size * (h / w)) / 2, size / 2]),
    ...ratios
      .slice(1)
      .map((ratio) => [(sizes[0]! * (h / w) * Math.sqrt(ratio)) / 2, sizes[0]! / Math.sqrt(ratio) / 2]),
  ];
  const wanted = build([1, h * w * 4, 4], ([, count, side]) => {
    const [kind, place] = [count! % 4, Math.floor(count! / 4)];
    const center = side! % 2 === 0 ? ((place % w) + 0.25) / w : (Math.floor(place / w) + 0.5) * 0.2;
    return center + (side! < 2 ? -1 : 1) * halves[kind]![side! % 2]!;
  });
  expect(disagreement(outs[0]!, wanted)).toBeNull();
  const clipped = runCall("vision.multibox_prior", {
    name: "",
    args: [`Tensor[(1, 3, ${h}, ${w}), float32]`],
    attrs: { sizes, ratios, steps: [0.2, -1], offsets: [0.5, 0.25], clip: true },
  });
  expect(
    disagreement(clipped.outs[0]!, {
      ...wanted,
      values: wanted.values.map((value) => Math.min(Math.max(value, 0), 1)),
    }),
  ).toBeNull();
  expect(
    typeOfCall("vision.multibox_prior", ["Tensor[(1, 3, 4, 2), float32]"], { sizes: [] }).diagnostics,
  ).toMatchObject([{ code: "RS2108" }]);
});

test.each([true, false])("multibox_transform_loc, clip=%s", (clip) => {
  const [batch, classes, count] = [2, 4, 6];
  const variances = [0.1, 0.2, 0.3, 0.4];
  const probabilities = Array.from({ length: batch * classes * count }, (_, i) => noise(i));
  const anchors = Array.from({ length: count }, (_, j) =>
    [noise(50 + j) / 2, noise(60 + j) / 2, 0.5 + noise(70 + j) / 2, 0.5 + noise(80 + j) / 2].map(Math.fround),
  ).flat();
  const ran = runCall(
    "vision.multibox_transform_loc",
    {
      name: "",
      args: [
        `Tensor[(${batch}, ${classes}, ${count}), float32]`,
        `Tensor[(${batch}, ${4 * count}), float32]`,
        `Tensor[(1, ${count}, 4), float32]`,
      ],
      attrs: { clip, threshold: 0.7, variances },
    },
    {
      values: new Map([
        [0, probabilities],
        [2, anchors],
      ]),
    },
  );
  const [p, m, a] = ran.ins as [Nd, Nd, Nd];
  const [rows, totals] = ran.outs as [Nd, Nd];
  const wanted: number[] = [];
  for (let i = 0; i < batch; i++) {
    const found: number[][] = [];
    for (let j = 0; j < count; j++) {
      const scores = [1, 2, 3].map((c) => at(p, i, c, j));
      const score = Math.max(...scores);
      if (score < 0.7) continue;
      const corner = (k: number): number => at(a, 0, j, k);
      const move = (k: number): number => at(m, i, 4 * j + k) * variances[k]!;
      const sides = [0, 1, 2, 3].map((k) => {
        const extent = corner((k % 2) + 2) - corner(k % 2);
        const middle = move(k % 2) * extent + (corner(k % 2) + corner((k % 2) + 2)) / 2;
        const value = middle + ((k < 2 ? -1 : 1) * Math.exp(move((k % 2) + 2)) * extent) / 2;
        return clip ? Math.min(Math.max(value, 0), 1) : value;
      });
      found.push([scores.indexOf(score), score, ...sides]);
    }
    expect(at(totals, i)).toBe(found.length);
    wanted.push(...Array.from({ length: count }, (_, j) => found[j] ?? Array<number>(6).fill(-1)).flat());
  }
  expect(disagreement(rows, { shape: [batch, count, 6], values: wanted })).toBeNull();
});

interface Rpn {
  readonly scales: readonly number[];
  readonly ratios: readonly number[];
  readonly iou_loss: boolean;
  readonly rpn_min_size: number;
  readonly threshold: number;
  readonly rpn_pre_nms_top_n: number;
  readonly rpn_post_nms_top_n: number;
}

const stride = 16;

function anchorOf(ratio: number, scale: number): readonly number[] {
  const side = Math.floor(Math.sqrt(Math.floor((stride * stride) / ratio)) + 0.5);
  const size = [side * scale, Math.floor(side * ratio + 0.5) * scale];
  return [-1, -1, 1, 1].map((sign, k) => 0.5 * (stride - 1) + sign * 0.5 * (size[k % 2]! - 1));
}

/** Boxes of image b with their scores, best first. */
function predicted([p, m, info]: readonly Nd[], b: number, attrs: Rpn): (readonly number[])[] {
  const anchors = attrs.ratios.flatMap((ratio) => attrs.scales.map((scale) => anchorOf(ratio, scale)));
  const [, , height, width] = p!.shape as [number, number, number, number];
  const [rows, columns, scale] = [0, 1, 2].map((k) => at(info!, b, k)) as [number, number, number];
  const found: (readonly number[])[] = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      anchors.forEach((anchor, k) => {
        const start = anchor.map((value, side) => value + (side % 2 === 0 ? x : y) * stride);
        const move = [0, 1, 2, 3].map((side) => at(m!, b, 4 * k + side, y, x));
        const box = start.map((value, side) => {
          const axis = side % 2;
          const extent = start[axis + 2]! - start[axis]! + 1;
          const half = 0.5 * (Math.exp(move[axis + 2]!) * extent - 1);
          const middle = move[axis]! * extent + start[axis]! + 0.5 * (extent - 1);
          const to = attrs.iou_loss ? value + move[side]! : side < 2 ? middle - half : middle + half;
          return Math.max(Math.min(to, (axis === 0 ? columns : rows) - 1), 0);
        });
        const least = scale * attrs.rpn_min_size;
        const narrow = box[2]! - box[0]! + 1 < least || box[3]! - box[1]! + 1 < least;
        const outside = y >= Math.trunc(rows / stride) || x >= Math.trunc(columns / stride);
        const score = narrow || outside ? -1 : at(p!, b, anchors.length + k, y, x);
        found.push([
          ...box.map((value, side) => (narrow ? value + ((side < 2 ? -1 : 1) * least) / 2 : value)),
          score,
        ]);
      });
  return found
    .map((box, i) => ({ box, i }))
    .sort((one, other) => other.box[4]! - one.box[4]! || one.i - other.i)
    .map(({ box }) => box);
}

function overlap(a: readonly number[], b: readonly number[]): number {
  const extent = (of: readonly number[], axis: number): number => of[axis + 2]! - of[axis]! + 1;
  const common = (axis: number): number =>
    Math.max(0, Math.min(a[axis + 2]!, b[axis + 2]!) - Math.max(a[axis]!, b[axis]!) + 1);
  const both = common(0) * common(1);
  return both / (extent(a, 0) * extent(a, 1) + extent(b, 0) * extent(b, 1) - both);
}

describe.each<Rpn>([
  {
    scales: [0.5],
    ratios: [0.5],
    iou_loss: false,
    rpn_min_size: 4,
    threshold: 0.7,
    rpn_pre_nms_top_n: -1,
    rpn_post_nms_top_n: 30,
  },
  {
    scales: [1, 2],
    ratios: [0.5, 2],
    iou_loss: true,
    rpn_min_size: 16,
    threshold: 0.3,
    rpn_pre_nms_top_n: 10,
    rpn_post_nms_top_n: 7,
  },
])("proposal %j", (attrs) => {
  test("rows of two images", () => {
    const anchors = attrs.scales.length * attrs.ratios.length;
    const args = [
      `Tensor[(2, ${2 * anchors}, 3, 4), float32]`,
      `Tensor[(2, ${4 * anchors}, 3, 4), float32]`,
      "Tensor[(2, 3), float32]",
    ];
    const scores = Array.from({ length: 2 * 2 * anchors * 12 }, (_, i) => noise(i));
    const { ins, outs } = runCall(
      "vision.proposal",
      { name: "", args, attrs: { ...attrs } },
      {
        values: new Map([
          [0, scores],
          [2, [48, 64, 1, 40, 50, 1.5]],
        ]),
      },
    );
    const wanted = [0, 1].flatMap((b) => {
      const boxes = predicted(ins, b, attrs);
      const kept: (readonly number[])[] = [];
      for (const box of boxes.slice(0, attrs.rpn_pre_nms_top_n > 0 ? attrs.rpn_pre_nms_top_n : boxes.length))
        if (!kept.some((other) => overlap(box, other) > attrs.threshold)) kept.push(box);
      return Array.from({ length: attrs.rpn_post_nms_top_n }, (_, i) => [
        b,
        ...kept[i % kept.length]!.slice(0, 4),
      ]).flat();
    });
    expect(disagreement(outs[0]!, { shape: [2 * attrs.rpn_post_nms_top_n, 5], values: wanted })).toBeNull();
  });
});
