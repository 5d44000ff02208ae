// Boxes kept and left out, against plain JavaScript.
import { describe, expect, test } from "vitest";
import { at, runCall, typeOfCall, type Nd } from "../../../testing/harness/op-runner.ts";

/** Numbers in [0, 1) that do not repeat soon. */
const noise = (i: number): number => ((Math.imul(i + 1, 2654435761) >>> 8) % 9973) / 9973;

type Box = readonly number[];

function overlap(a: Box, b: Box): number {
  const side = (of: Box, k: number): number => Math.abs(of[k + 2]! - of[k]!);
  const common = (k: number): number =>
    Math.max(
      0,
      Math.min(Math.max(a[k]!, a[k + 2]!), Math.max(b[k]!, b[k + 2]!)) -
        Math.max(Math.min(a[k]!, a[k + 2]!), Math.min(b[k]!, b[k + 2]!)),
    );
  const both = common(0) * common(1);
  const union = side(a, 0) * side(a, 1) + side(b, 0) * side(b, 1) - both;
  return union <= 0 ? 0 : both / union;
}

/** Boxes of about one unit in a small field: many overlap. Corners in any order. */
function boxes(count: number, seed: number): Box[] {
  return Array.from({ length: count }, (_, i) => {
    const [x, y, w, h] = [0, 1, 2, 3].map((k) => noise(seed + 4 * i + k)) as [number, number, number, number];
    const corners = [3 * x, 2 * y, 3 * x + 0.5 + w, 2 * y + 0.5 + h];
    return (i % 3 === 0 ? [corners[2]!, corners[1]!, corners[0]!, corners[3]!] : corners).map(Math.fround);
  });
}

test("get_valid_counts", () => {
  const data = Array.from({ length: 2 * 7 * 6 }, (_, i) => (i % 6 === 0 ? (i % 4) - 1 : noise(i)));
  const {
    ins: [given],
    outs: [counts, rows, places],
  } = runCall(
    "vision.get_valid_counts",
    { name: "", args: ["Tensor[(2, 7, 6), float32]", "float32"] },
    {
      values: new Map([
        [0, data],
        [1, [0.3]],
      ]),
    },
  );
  for (const i of [0, 1]) {
    const valid = [0, 1, 2, 3, 4, 5, 6].filter(
      (j) => at(given!, i, j, 1) > Math.fround(0.3) && at(given!, i, j, 0) >= 0,
    );
    expect(at(counts!, i)).toBe(valid.length);
    for (let j = 0; j < 7; j++) {
      expect(at(places!, i, j)).toBe(valid[j] ?? -1);
      for (let k = 0; k < 6; k++)
        expect(at(rows!, i, j, k)).toBe(valid[j] === undefined ? -1 : at(given!, i, valid[j]!, k));
    }
  }
});

interface Setting {
  readonly force: boolean;
  readonly topK: number;
  readonly most: number;
  readonly limit: number;
}

/** Which of the valid rows (class, score, corners) stay, in the order of scores; null for those left out. */
function kept(rows: readonly Box[], { force, topK, most, limit }: Setting): (number | null)[] {
  const order = rows.map((_, i) => i).sort((a, b) => rows[b]![1]! - rows[a]![1]! || a - b);
  if (limit <= 0) return rows.map((_, i) => i);
  const found: (number | null)[] = [];
  let count = 0;
  order.forEach((row, place) => {
    const box = rows[row]!;
    if ((topK > 0 && place >= topK) || count === most) return void found.push(null);
    if (box[1]! <= 0) return void found.push(row);
    const better = found
      .filter((other) => other !== null)
      .map((other) => rows[other]!)
      .filter((other) => other[1]! > 0 && other[0]! >= 0 && (force || other[0] === box[0]));
    if (better.some((other) => overlap(box.slice(2), other.slice(2)) >= limit)) return void found.push(null);
    count++;
    return void found.push(row);
  });
  return found;
}

describe.each<Setting>([
  { force: false, topK: -1, most: -1, limit: 0.3 },
  { force: true, topK: -1, most: -1, limit: 0.3 },
  { force: false, topK: 6, most: -1, limit: 0.4 },
  { force: true, topK: -1, most: 2, limit: 0.2 },
  { force: false, topK: -1, most: -1, limit: 0 },
])("non_max_suppression %j", (setting) => {
  const valid = 9;
  const rows = boxes(11, 5).map((box, i): Box => [
    i % 3,
    Math.fround(i === 4 ? -0.25 : noise(99 + i)),
    ...box,
  ]);
  const places = rows.map((_, i) => 100 + i);
  const values = new Map([
    [0, rows.flat()],
    [1, [valid]],
    [2, places],
    [3, [setting.most]],
    [4, [setting.limit]],
  ]);
  const args = [
    "Tensor[(1, 11, 6), float32]",
    "Tensor[(1), int32]",
    "Tensor[(1, 11), int32]",
    "int32",
    "float32",
  ];
  const attrs = { force_suppress: setting.force, top_k: setting.topK };
  const wanted = kept(rows.slice(0, valid), setting);

  test("places", () => {
    const {
      outs: [indices, counts],
    } = runCall("vision.non_max_suppression", { name: "", args, attrs }, { values });
    const stay = wanted.filter((row) => row !== null).map((row) => places[row]!);
    expect([indices!.values, counts!.values]).toEqual([
      Array.from(rows, (_, i) => stay[i] ?? -1),
      [stay.length],
    ]);
  });

  test.each([true, false])("boxes, invalid_to_bottom=%s", (bottom) => {
    const { outs } = runCall(
      "vision.non_max_suppression",
      { name: "", args, attrs: { ...attrs, return_indices: false, invalid_to_bottom: bottom } },
      { values },
    );
    const list = bottom ? wanted.filter((row) => row !== null) : wanted;
    expect(outs[0]!.values).toEqual(
      rows.flatMap((_, i) => (list[i] == null ? Array<number>(6).fill(-1) : rows[list[i]]!)),
    );
  });
});

/** Rows (class, box, score) of one image. */
function chosen(
  image: readonly Box[],
  scores: Nd,
  b: number,
  [most, limit, threshold]: readonly [number, number, number],
): [number, number, number][] {
  const found: [number, number, number][] = [];
  for (let c = 0; c < scores.shape[1]!; c++) {
    const order = image.map((_, i) => i).sort((x, y) => at(scores, b, c, y) - at(scores, b, c, x) || x - y);
    const own: number[] = [];
    for (const box of order) {
      if (
        at(scores, b, c, box) <= threshold ||
        (most > 0 && own.length >= most) ||
        own.some((other) => overlap(image[box]!, image[other]!) >= limit)
      )
        continue;
      own.push(box);
      found.push([c, box, at(scores, b, c, box)]);
    }
  }
  return found;
}

describe.each([
  [2, 0.3, 0.1],
  [0, 0.5, -2],
  [3, 0.1, 0.6],
] as const)("all_class_non_max_suppression, at most %f, overlap %f, score %f", (most, limit, threshold) => {
  const images = [boxes(8, 3), boxes(8, 77)];
  const scores = Array.from({ length: 2 * 3 * 8 }, (_, i) => noise(1000 + i) * 1.5 - 0.5);
  const values = new Map([
    [0, images.flat(2)],
    [1, scores],
    [2, [most]],
    [3, [limit]],
    [4, [threshold]],
  ]);
  const args = ["Tensor[(2, 8, 4), float32]", "Tensor[(2, 3, 8), float32]", "int64", "float32", "float32"];

  test("onnx", () => {
    const {
      ins,
      outs: [rows, total],
    } = runCall("vision.all_class_non_max_suppression", { name: "", args }, { values });
    const wanted = images.flatMap((image, b) =>
      chosen(image, ins[1]!, b, [most, limit, threshold]).map(([c, box]) => [b, c, box]),
    );
    expect(total!.values).toEqual([wanted.length]);
    expect(rows!.values).toEqual(Array.from({ length: 48 }, (_, i) => wanted[i] ?? [0, 0, 0]).flat());
  });

  test("tensorflow", () => {
    const {
      ins,
      outs: [rows, found, totals],
    } = runCall(
      "vision.all_class_non_max_suppression",
      { name: "", args, attrs: { output_format: "tensorflow" } },
      { values },
    );
    const wanted = images.map((image, b) => chosen(image, ins[1]!, b, [most, limit, threshold]));
    expect(totals!.values).toEqual(wanted.map((list) => list.length));
    expect(rows!.values).toEqual(
      wanted.flatMap((list) => Array.from({ length: 24 }, (_, i) => list[i]?.slice(0, 2) ?? [0, 0]).flat()),
    );
    expect(found!.values).toEqual(
      wanted.flatMap((list) => Array.from({ length: 24 }, (_, i) => list[i]?.[2] ?? 0)),
    );
  });
});

test("fields that boxes do not have, and parts that do not fit, are refused", () => {
  const nms = (attrs: Record<string, number>, counts = "Tensor[(1), int32]") =>
    typeOfCall(
      "vision.non_max_suppression",
      ["Tensor[(1, 4, 6), float32]", counts, "Tensor[(1, 4), int32]", "int32", "float32"],
      attrs,
    ).diagnostics.map(({ code }) => code);
  expect([
    nms({ coord_start: 3 }),
    nms({ score_index: -1 }),
    nms({ id_index: 6 }),
    nms({}, "Tensor[(2), int32]"),
    nms({}),
  ]).toEqual([["RS2104"], ["RS2104"], ["RS2104"], ["RS2105"], []]);
});
