// Weights in register tiles: packed inside the function, or ahead of it with the same numbers.
import { expect, test } from "vitest";
import { float32 } from "../ir/dtype.ts";
import { synthetic } from "../ir/origin.ts";
import { add, floatImm, floorDiv, floorMod, ifThenElse, lt, mul } from "../tir/build.ts";
import { interpret } from "../tir/interp/interp.ts";
import { stmtText } from "../tir/print.ts";
import { verifyPrimFunc } from "../tir/verify.ts";
import { compute, placeholder, reduceAxis, sum } from "./compute.ts";
import { lowerSchedule, type LowerOptions } from "./lower.ts";
import { lowerPrepacked } from "./prepack.ts";
import { createSchedule, type Schedule } from "./schedule.ts";

const origin = synthetic("test");
const [rows, units, depth, tile] = [3, 10, 5, 4];

/** A dense layer, its weights packed in columns of `tile` units, accumulators in vectors of that many. */
function packedDense(): { readonly schedule: Schedule; readonly options: LowerOptions } {
  const a = placeholder([rows, depth], float32, { name: "a" });
  const w = placeholder([units, depth], float32, { name: "w" });
  const k = reduceAxis(depth, "k");
  const c = compute([rows, units], ([i, j]) => sum(mul(a.at(i, k.variable), w.at(j, k.variable)), [k]), {
    name: "c",
  });
  const out = compute([rows, units], ([i, j]) => add(c.at(i, j), floatImm(1, float32)), { name: "out" });
  const schedule = createSchedule([out]);
  schedule.repack(w, [c], {
    name: "w_packed",
    shape: [Math.ceil(units / tile), depth, tile],
    pack: (source, [block, x, lane]) => {
      const unit = add(mul(block!, tile), lane!);
      return ifThenElse(lt(unit, units), source.at(unit, x!), floatImm(0, float32));
    },
    find: ([unit, x]) => [floorDiv(unit!, tile), x!, floorMod(unit!, tile)],
  });
  const last = schedule.stage(out);
  const [outer, lanes] = last.split(last.axis[1]!, { factor: tile });
  last.vectorize(lanes);
  const acc = schedule.stage(c);
  acc.setScope("local");
  acc.computeAt(last, outer);
  acc.reorder(acc.axis[0]!, acc.reduceAxis[0]!, acc.axis[1]!);
  acc.vectorize(acc.axis[1]!);
  return { schedule, options: { name: "f", inputs: [a, w], outputs: [out], origin } };
}

const a = Float32Array.from({ length: rows * depth }, (_, i) => (i % 7) - 3);
const w = Float32Array.from({ length: units * depth }, (_, i) => (i % 5) - 2);
const want = Array.from({ length: rows * units }, (_, at) => {
  let total = 1;
  for (let x = 0; x < depth; x++)
    total += a[Math.floor(at / units) * depth + x]! * w[(at % units) * depth + x]!;
  return total;
});

test("packed in the function: the tile reads its block", () => {
  const { schedule, options } = packedDense();
  const f = lowerSchedule(schedule, options);
  expect(verifyPrimFunc(f)).toEqual([]);
  expect(stmtText(f.body)).toContain(
    [
      "        for k in range(5):",
      "            for i1_1 in T.vectorized(4):",
      "                c[0, i1_1] = c[0, i1_1] + a[i0_1, k] * w_packed[i1_outer, k, i1_1]",
      "",
    ].join("\n"),
  );
  const out = new Float32Array(rows * units);
  interpret(f, [a, w, out]);
  expect([...out]).toEqual(want);
  expect(schedule.trace[0]).toBe("w_packed = s.repack(w, [c], shape=[3, 5, 4])");
});

test("packed ahead: the function takes the packed weights, another one makes them", () => {
  const { schedule, options } = packedDense();
  const { main, packs } = lowerPrepacked(schedule, options, new Set([1]));
  expect(
    main.params.map(
      (param) =>
        `${param.name}${JSON.stringify(param.shape.map((dim) => (dim.kind === "int" ? dim.value : 0)))}`,
    ),
  ).toEqual(["a[3,5]", "w_packed[3,5,4]", "out[3,10]"]);
  expect(stmtText(main.body)).not.toContain("allocate([3, 5, 4]");
  expect(packs.map((pack) => [pack.input, pack.func.name])).toEqual([[1, "f_pack0"]]);
  for (const f of [main, packs[0]!.func]) expect(verifyPrimFunc(f)).toEqual([]);
  const packed = new Float32Array(3 * depth * tile);
  interpret(packs[0]!.func, [w, packed]);
  const out = new Float32Array(rows * units);
  interpret(main, [a, packed, out]);
  expect([...out]).toEqual(want);
});

test("a parameter that is not constant is packed in the function", () => {
  const { schedule, options } = packedDense();
  const { main, packs } = lowerPrepacked(schedule, options, new Set([0]));
  expect(packs).toEqual([]);
  const out = new Float32Array(rows * units);
  interpret(main, [a, w, out]);
  expect([...out]).toEqual(want);
});
