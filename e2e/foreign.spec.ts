// Story: what somebody opens is not what the page expects: TIR in place of Relay, a zip with options of
// another page, a model whose input is called as every object's constructor is.
import { strToU8, zipSync } from "fflate";
import { float32 } from "../src/compiler/ir/dtype.ts";
import { writeOnnx } from "../src/testing/harness/onnx-writer.ts";
import { dropFiles, expect, open, pasteSource, region, test, waitForRun } from "./fixtures.ts";

test("a pasted TIR text is told as what it is, in one message", async ({ page }) => {
  await open(page);
  await pasteSource(page, "@main = primfn(a: handle) -> ()\n  attr = {}\n  for (i: int32, 0, 8) {\n  }\n");
  const problems = region(page, "Problems").getByRole("article");
  await expect(problems).toHaveCount(1);
  await expect(problems).toContainText("This is TIR, not Relay.");
});

test("a zip with foreign options opens with those that the page knows", async ({ page }) => {
  const first = await open(page);
  const manifest = {
    format: 1,
    version: "9.9.9",
    kind: "relay",
    name: "m.relay",
    model: "model/m.relay",
    extra: [],
    options: { optLevel: 7, executor: "vm", targets: "all", turbo: true },
  };
  const bytes = zipSync({
    "relayscope.json": strToU8(JSON.stringify(manifest)),
    "model/m.relay": strToU8("def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) }"),
  });
  await dropFiles(page, [{ name: "m.repro.zip", bytes }]);
  await waitForRun(page, first);
  await expect(page.getByRole("treeitem", { name: /^p0 relu/ })).toHaveCount(1);
});

test("a model with an input called constructor compiles and runs under that name", async ({ page }) => {
  const first = await open(page);
  const bytes = writeOnnx({
    inputs: { constructor: { dtype: float32, shape: ["N", 3] } },
    outputs: ["toString"],
    nodes: [{ op: "Relu", in: ["constructor"], out: ["toString"] }],
  });
  await dropFiles(page, [{ name: "m.onnx", bytes }]);
  const second = await waitForRun(page, first);
  await page.getByRole("button", { name: "Fix these shapes" }).click();
  await waitForRun(page, second);
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  const result = region(page, "Result of the run");
  await expect(result).toContainText("constructor");
  await expect(page.getByRole("region", { name: "Output toString" })).toBeVisible();
});
