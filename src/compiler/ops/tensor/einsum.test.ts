// Einstein sums against plain loops over every letter.
import { expect, test } from "vitest";
import {
  at,
  build,
  disagreement,
  runCall,
  total,
  typeOfCall,
  type Nd,
} from "../../../testing/harness/op-runner.ts";

const run = (equation: string, ...shapes: readonly string[]) =>
  runCall("einsum", {
    name: "",
    args: [`(${shapes.map((shape) => `Tensor[(${shape}), float32]`).join(", ")})`],
    attrs: { equation },
  });

test("products of matrices, implicit results in alphabetical order, diagonals, broadcast axes", () => {
  const product = run("ij,jk->ki", "3, 4", "4, 5");
  const [a, b] = product.ins as [Nd, Nd];
  expect(
    disagreement(
      product.outs[0]!,
      build([5, 3], ([k, i]) => total(4, (j) => at(a, i!, j) * at(b, j, k!))),
    ),
  ).toBeNull();
  const implicit = run("ba", "3, 4");
  expect(implicit.outs[0]).toEqual(build([4, 3], ([i, j]) => at(implicit.ins[0]!, j!, i!)));
  const diagonal = run("iij->ij", "3, 3, 2");
  expect(diagonal.outs[0]).toEqual(build([3, 2], ([i, j]) => at(diagonal.ins[0]!, i!, i!, j!)));
  const batched = run("...ij,...j", "2, 1, 3, 4", "5, 4");
  const [x, y] = batched.ins as [Nd, Nd];
  expect(
    disagreement(
      batched.outs[0]!,
      build([2, 5, 3], ([n, m, i]) => total(4, (j) => at(x, n!, 0, i!, j) * at(y, m!, j))),
    ),
  ).toBeNull();
  const bilinear = run("bi,oij,bj->bo", "2, 3", "4, 3, 2", "2, 2");
  const [l, w, r] = bilinear.ins as [Nd, Nd, Nd];
  expect(
    disagreement(
      bilinear.outs[0]!,
      build([2, 4], ([n, o]) =>
        total(3, (i) => total(2, (j) => at(l, n!, i) * at(w, o!, i, j) * at(r, n!, j))),
      ),
    ),
  ).toBeNull();
});

test.each([
  ["ij,jk", "RS2108"],
  ["ij->ii", "RS2108"],
  ["ij->k", "RS2108"],
  ["i", "RS2108"],
  ["i...->i", "RS2108"],
  ["i1->i", "RS2108"],
  ["ij->i->j", "RS2108"],
  ["ii", "RS2105"],
])("%s for one matrix is refused (%s)", (equation, code) => {
  expect(typeOfCall("einsum", ["(Tensor[(2, 3), float32],)"], { equation }).diagnostics).toMatchObject([
    { code },
  ]);
});
