// The rarer operators against plain loops.
import { expect, test } from "vitest";
import {
  at,
  build,
  disagreement,
  opNamed,
  runCall,
  typeOfCall,
  type Nd,
} from "../../testing/harness/op-runner.ts";

const run = (
  name: string,
  args: readonly string[],
  attrs = {},
  values: ReadonlyMap<number, readonly number[]> = new Map(),
) => runCall(name, { name: "", args, attrs }, { values });

test("nn.lrn divides by a power of the mean square of neighbouring channels", () => {
  for (const example of opNamed("nn.lrn").examples) {
    const {
      ins: [x],
      outs,
    } = runCall("nn.lrn", example);
    const {
      size = 5,
      axis = 1,
      bias = 2,
      alpha = 0.0001,
      beta = 0.75,
    } = (example.attrs ?? {}) as Record<string, number>;
    const reach = (size - 1) / 2;
    const wanted = build(x!.shape, (i) => {
      let squares = 0;
      for (let k = i[axis]! - reach; k <= i[axis]! + reach; k++)
        if (k >= 0 && k < x!.shape[axis]!) squares += at(x!, ...i.map((v, d) => (d === axis ? k : v))) ** 2;
      return at(x!, ...i) / (bias + (alpha * squares) / size) ** beta;
    });
    expect(disagreement(outs[0]!, wanted)).toBeNull();
  }
});

test("nn.dilate puts a value between neighbours", () => {
  const {
    ins: [x],
    outs,
  } = run("nn.dilate", ["Tensor[(2, 3), float32]"], { strides: [2, 3], dilation_value: 7 });
  expect(outs[0]).toEqual(
    build([3, 7], ([i, j]) => (i! % 2 === 0 && j! % 3 === 0 ? at(x!, i! / 2, j! / 3) : 7)),
  );
});

test.each(["mean", "sum", "none"])("nn.nll_loss, %s", (reduction) => {
  const classes = [2, 0, 1, 1];
  const {
    ins: [p, , w],
    outs,
  } = run(
    "nn.nll_loss",
    ["Tensor[(2, 3, 2), float32]", "Tensor[(2, 2), int32]", "Tensor[(3), float32]"],
    { reduction, ignore_index: 1 },
    new Map([[1, classes]]),
  );
  const loss = build([2, 2], ([n, k]) => {
    const c = classes[n! * 2 + k!]!;
    return c === 1 ? 0 : -at(p!, n!, c, k!) * at(w!, c);
  });
  const sum = loss.values.reduce((a, b) => a + b, 0);
  const weight = classes.reduce((a, c) => a + (c === 1 ? 0 : at(w!, c)), 0);
  const wanted: Nd =
    reduction === "none" ? loss : { shape: [], values: [reduction === "sum" ? sum : sum / weight] };
  expect(disagreement(outs[0]!, wanted)).toBeNull();
});

test.each([
  [-1, 1, true, false],
  [-1, 1, false, true],
  [0, 0, true, false],
  [1, 2, true, true],
  [-2, -1, false, true],
])("matrix_set_diag %i to %i, aligned right %s %s", (k1, k2, sup, sub) => {
  const [rows, columns] = [3, 4];
  const length = Math.min(rows + Math.min(k2, 0), columns - Math.max(k1, 0));
  const shape = k1 === k2 ? `(2, ${length})` : `(2, ${k2 - k1 + 1}, ${length})`;
  const {
    ins: [x, d],
    outs,
  } = run("matrix_set_diag", ["Tensor[(2, 3, 4), float32]", `Tensor[${shape}, float32]`], {
    k1,
    k2,
    super_diag_right_align: sup,
    sub_diag_right_align: sub,
  });
  expect(outs[0]).toEqual(
    build([2, rows, columns], ([b, i, j]) => {
      const k = j! - i!;
      if (k < k1 || k > k2) return at(x!, b!, i!, j!);
      const own = Math.min(rows + Math.min(k, 0), columns - Math.max(k, 0));
      const along = Math.min(i!, j!) + (k1 !== k2 && (k >= 0 ? sup : sub) ? length - own : 0);
      return k1 === k2 ? at(d!, b!, along) : at(d!, b!, k2 - k, along);
    }),
  );
});

test("adv_index broadcasts its indices", () => {
  const [rows, columns] = [
    [2, 0],
    [3, 1, 9],
  ];
  const {
    ins: [x],
    outs,
  } = run(
    "adv_index",
    ["(Tensor[(3, 4, 2), float32], Tensor[(2, 1), int32], Tensor[(3), int32])"],
    {},
    new Map([
      [1, rows],
      [2, columns],
    ]),
  );
  expect(outs[0]).toEqual(build([2, 3, 2], ([i, j, k]) => at(x!, rows[i!]!, Math.min(columns[j!]!, 3), k!)));
});

test("sparse_to_dense places values, invert_permutation undoes one", () => {
  const dense = run(
    "sparse_to_dense",
    ["Tensor[(3, 2), int32]", "Tensor[(3), float32]", "float32"],
    { output_shape: [2, 3] },
    new Map([
      [0, [0, 0, 1, 2, 5, 5]],
      [1, [4, 5, 6]],
      [2, [-1]],
    ]),
  );
  expect(dense.outs[0]).toEqual({ shape: [2, 3], values: [4, -1, -1, -1, -1, 5] });
  expect(
    run("invert_permutation", ["Tensor[(5), int32]"], {}, new Map([[0, [3, 0, 4, 1, 2]]])).outs[0]!.values,
  ).toEqual([1, 3, 4, 0, 2]);
});

test("image.affine_grid and image.grid_sample", () => {
  const grid = run(
    "image.affine_grid",
    ["Tensor[(1, 2, 3), float32]"],
    { target_shape: [3, 5] },
    new Map([[0, [1, 0.5, 0.25, -0.5, 2, 0]]]),
  );
  const wanted = build([1, 2, 3, 5], ([, d, i, j]) => {
    const [y, x] = [-1 + i!, -1 + j! / 2];
    return d === 0 ? x + 0.5 * y + 0.25 : -0.5 * x + 2 * y;
  });
  expect(disagreement(grid.outs[0]!, wanted)).toBeNull();
  const {
    ins: [data, places],
    outs,
  } = run(
    "image.grid_sample",
    ["Tensor[(1, 2, 4, 5), float32]", "Tensor[(1, 2, 3, 5), float32]"],
    {},
    new Map([[1, wanted.values]]),
  );
  const pixel = (c: number, y: number, x: number): number =>
    y >= 0 && y < 4 && x >= 0 && x < 5 ? at(data!, 0, c, y, x) : 0;
  expect(
    disagreement(
      outs[0]!,
      build([1, 2, 3, 5], ([, c, i, j]) => {
        const [x, y] = [((at(places!, 0, 0, i!, j!) + 1) * 4) / 2, ((at(places!, 0, 1, i!, j!) + 1) * 3) / 2];
        const [x0, y0] = [Math.floor(x), Math.floor(y)];
        const [fx, fy] = [x - x0, y - y0];
        return (
          pixel(c!, y0, x0) * (1 - fy) * (1 - fx) +
          pixel(c!, y0, x0 + 1) * (1 - fy) * fx +
          pixel(c!, y0 + 1, x0) * fy * (1 - fx) +
          pixel(c!, y0 + 1, x0 + 1) * fy * fx
        );
      }),
      1e-4,
    ),
  ).toBeNull();
});

test.each(["bilinear", "nearest_neighbor"])("image.crop_and_resize, %s", (method) => {
  const boxes = [0, 0, 1, 1, 0.2, 0.6, 0.9, 0.1, -0.5, 0.1, 0.5, 1.5];
  const {
    ins: [x],
    outs,
  } = run(
    "image.crop_and_resize",
    ["Tensor[(2, 3, 5, 6), float32]", "Tensor[(3, 4), float32]", "Tensor[(3), int32]"],
    { crop_size: [3, 4], method, extrapolation_value: 9 },
    new Map([
      [1, boxes],
      [2, [0, 1, 1]],
    ]),
  );
  const wanted = build([3, 3, 3, 4], ([b, c, i, j]) => {
    const [y1, x1, y2, x2] = boxes.slice(b! * 4, b! * 4 + 4) as [number, number, number, number];
    const [y, k] = [y1 * 4 + ((y2 - y1) * 4 * i!) / 2, x1 * 5 + ((x2 - x1) * 5 * j!) / 3];
    if (y < 0 || y > 4 || k < 0 || k > 5) return 9;
    const get = (r: number, q: number): number => at(x!, b === 0 ? 0 : 1, c!, Math.min(r, 4), Math.min(q, 5));
    if (method === "nearest_neighbor") return get(Math.floor(y + 0.5), Math.floor(k + 0.5));
    const [y0, x0] = [Math.floor(y), Math.floor(k)];
    const [fy, fx] = [y - y0, k - x0];
    return (
      (get(y0, x0) * (1 - fx) + get(y0, x0 + 1) * fx) * (1 - fy) +
      (get(y0 + 1, x0) * (1 - fx) + get(y0 + 1, x0 + 1) * fx) * fy
    );
  });
  expect(disagreement(outs[0]!, wanted, 1e-4)).toBeNull();
});

test("image.dilation2d takes the greatest sum of a window", () => {
  const attrs = { strides: [2, 1], padding: [1, 0, 0, 1], dilations: [1, 2] };
  const {
    ins: [x, w],
    outs,
  } = run("image.dilation2d", ["Tensor[(1, 2, 5, 6), float32]", "Tensor[(2, 2, 3), float32]"], attrs);
  expect(
    disagreement(
      outs[0]!,
      build([1, 2, 3, 3], ([, c, y, k]) => {
        let best = -Infinity;
        for (let r = 0; r < 2; r++) {
          for (let q = 0; q < 3; q++) {
            const [sy, sx] = [y! * 2 + r - 1, k! + q * 2];
            best = Math.max(
              best,
              (sy >= 0 && sy < 5 && sx < 6 ? at(x!, 0, c!, sy, sx) : 0) + at(w!, c!, r, q),
            );
          }
        }
        return best;
      }),
    ),
  ).toBeNull();
});

test("vision.yolo_reorg reads as Darknet does", () => {
  const {
    ins: [x],
    outs,
  } = run("vision.yolo_reorg", ["Tensor[(2, 4, 4, 6), float32]"], { stride: 2 });
  const values: number[] = [];
  for (let b = 0; b < 2; b++)
    for (let k = 0; k < 4; k++)
      for (let j = 0; j < 4; j++)
        for (let i = 0; i < 6; i++) {
          const offset = Math.floor(k / 1);
          const [w2, h2] = [i * 2 + (offset % 2), j * 2 + Math.floor(offset / 2)];
          values.push(x!.values[w2 + 6 * 2 * (h2 + 4 * 2 * (0 + b))]!);
        }
  expect(outs[0]).toEqual({ shape: [2, 16, 2, 3], values });
  expect(
    typeOfCall("vision.yolo_reorg", ["Tensor[(1, 4, 5, 6), float32]"], { stride: 2 }).diagnostics,
  ).toMatchObject([{ code: "RS2105" }]);
});
