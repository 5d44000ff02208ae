// The list of operators. Adding one: its file and a line here.
import { invariant } from "../../support/assert.ts";
import type { OpTable } from "../ir/op.ts";
import type { Op } from "./define.ts";
import { add } from "./math/add.ts";
import { multiply } from "./math/multiply.ts";
import { subtract } from "./math/subtract.ts";
import { avgPool2d } from "./nn/avg-pool2d.ts";
import { batchFlatten } from "./nn/batch-flatten.ts";
import { biasAdd } from "./nn/bias-add.ts";
import { conv2d } from "./nn/conv2d.ts";
import { dense } from "./nn/dense.ts";
import { maxPool2d } from "./nn/max-pool2d.ts";
import { relu } from "./nn/relu.ts";
import { softmax } from "./nn/softmax.ts";
import { expandDims } from "./tensor/expand-dims.ts";

const list: readonly Op[] = [
  // math
  add, multiply, subtract,
  // nn
  avgPool2d, batchFlatten, biasAdd, conv2d, dense, maxPool2d, relu, softmax,
  // tensor
  expandDims,
];

function tableOf(operators: readonly Op[]): OpTable<Op> {
  const table = new Map<string, Op>();
  for (const op of operators) {
    invariant(!table.has(op.name), `two operators are called ${op.name}`);
    table.set(op.name, op);
  }
  return table;
}

export const ops: OpTable<Op> = tableOf(list);
