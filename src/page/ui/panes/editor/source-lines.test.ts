import { expect, test } from "vitest";
import { resolveSelection } from "../../../store/selection.ts";
import { tensorView } from "../../../../testing/fixtures/lenet-views.ts";
import { lenetSummary } from "../../../../testing/harness/lenet-run.ts";
import { bracketRanges, enclosingOperator } from "./relay-language.ts";
import { lineFacts, litLines, nodeAt, nodeOfLine, shortType } from "./source-lines.ts";

const text = `def @main(%data: Tensor[(1, 1, 28, 28), float32], %c1w: Tensor[(6, 1, 5, 5), float32], %c1b: Tensor[(6), float32], %c2w: Tensor[(16, 6, 5, 5), float32], %c2b: Tensor[(16), float32], %f1w: Tensor[(120, 400), float32], %f1b: Tensor[(120), float32], %f2w: Tensor[(10, 120), float32], %f2b: Tensor[(10), float32]) {
  %0 = nn.conv2d(%data, %c1w,
    channels=6);
  %1 = nn.bias_add(%0, %c1b);
  %2 = nn.relu(%1);
  %3 = nn.max_pool2d(%2);
}
`;
const summary = lenetSummary(text);

test("lines carry the primitive and the type of the call on them", () => {
  const facts = lineFacts(summary, 7);
  expect([...facts.primitive.slice(1, 8)]).toEqual([-1, 0, 0, 0, 0, 1, -1]);
  expect(facts.types.get(3)).toBe("1×6×28×28");
  expect(facts.types.has(2)).toBe(false);
});

test("a pinned primitive lights the lines of its calls, not its parameters", () => {
  const lit = resolveSelection(summary, { kind: "primitive", id: 0 });
  expect([...litLines(summary, lit).keys()].sort((a, b) => a - b)).toEqual([2, 3, 4, 5]);
});

test("places and lines resolve to the innermost node", () => {
  const at = text.indexOf("nn.relu");
  expect(summary.sources[nodeAt(summary.sources, at)]?.name).toBe("%2");
  expect(summary.sources[nodeOfLine(summary.sources, 3)]?.name).toBe("%0");
  expect(nodeAt(summary.sources, text.length)).toBe(-1);
});

test("short types", () => {
  const dynamic = { dims: ["", "n"].map((symbol) => ({ extent: null, symbol })), dtype: "float32" };
  expect([
    shortType(tensorView(["1", "10"])),
    shortType(tensorView(["4"], "int8")),
    shortType(null),
    shortType(tensorView([], "bool")),
    shortType(dynamic),
  ]).toEqual(["1×10", "4 int8", "", "scalar bool", "?×n"]);
});

test("the operator whose attributes are completed", () => {
  expect(enclosingOperator("  %0 = nn.conv2d(%x, %w, padding=[1, 1], ")).toBe("nn.conv2d");
  expect(enclosingOperator("  %0 = add(nn.relu(%x), ")).toBe("add");
  expect(enclosingOperator("  nn.relu(%x);\n  ")).toBe("");
});

test("a parameter list and a body fold, their closing lines stay", () => {
  expect(bracketRanges(["def @main(", "  %x: T,", "  %y: T", ") {", "  add(%x,", "    %y)", "}"])).toEqual([
    { start: 1, end: 3 },
    { start: 4, end: 6 },
  ]);
});
