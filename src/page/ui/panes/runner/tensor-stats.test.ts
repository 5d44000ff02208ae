import { expect, test } from "vitest";
import { bytesText, shapeText } from "../../kit/labels.ts";
import { microsText, showNumber, showValue, tensorStats } from "./tensor-stats.ts";

test("facts leave out what is not a number, and say how much", () => {
  expect(tensorStats(Float32Array.from([1, NaN, -3, 2]))).toEqual({
    count: 4,
    least: -3,
    greatest: 2,
    mean: 0,
    notANumber: 1,
  });
  expect(tensorStats(["9007199254740993", "1"])?.greatest).toBe(9007199254740992);
  expect(tensorStats(new Float32Array(0))).toBeNull();
});

test("values and units print as the page says them", () => {
  expect([
    showNumber(0.2747409),
    showNumber(7.29e-27),
    showNumber(3),
    showNumber(Infinity),
    showNumber(NaN),
  ]).toEqual(["0.274741", "7.2900e-27", "3", "inf", "nan"]);
  expect(showValue({ name: "b", shape: [1], dtype: "bool", values: Uint32Array.of(1) }, 0)).toBe("true");
  expect([shapeText([]), shapeText([1, 10])]).toEqual(["scalar", "1×10"]);
  expect([microsText(62), microsText(1840), microsText(2.5e6)]).toEqual(["62.0 µs", "1.84 ms", "2.50 s"]);
  expect([bytesText(40), bytesText(23560), bytesText(4_830_000)]).toEqual(["40 B", "23.6 kB", "4.8 MB"]);
});
