import { expect, test } from "vitest";
import { firstTensorName, tensorName, type CallArg } from "./call-arg.ts";

test("tensors are called as in the C of the runner", () => {
  const args: readonly CallArg[] = [
    { kind: "input", index: 0 },
    { kind: "output", index: 2 },
    { kind: "sid", sid: 16 },
    { kind: "param", name: "p0" },
    { kind: "result", call: 3, index: null },
    { kind: "result", call: 3, index: 1 },
    { kind: "constant" },
  ];
  expect(args.map(tensorName)).toEqual([
    "input",
    "output2",
    "sid_16",
    "__tvm_param__p0",
    "call3",
    "call3.1",
    "constant",
  ]);
});

test("of several the first stands for all", () => {
  const sid = (number: number): CallArg => ({ kind: "sid", sid: number });
  expect([[], [sid(1)], [sid(1), sid(2), sid(3)]].map(firstTensorName)).toEqual(["", "sid_1", "sid_1 +2"]);
});
