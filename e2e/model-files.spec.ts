// Story: somebody drops an ONNX file: reads what it is, sees it in every pane, gives its dynamic dimension a
// number, runs it, edits a copy, shares it, and finds it again after a reload.
import type { Page } from "@playwright/test";
import { float32, int64 } from "../src/compiler/ir/dtype.ts";
import type { TensorData } from "../src/compiler/ir/tensor-data.ts";
import { writeOnnx, type OnnxFile } from "../src/testing/harness/onnx-writer.ts";
import {
  dropFiles,
  expect,
  listingText,
  open,
  region,
  runId,
  showTab,
  test,
  waitForRun,
  type DroppedFile,
} from "./fixtures.ts";

function tensor(...shape: number[]): TensorData {
  const count = shape.reduce((a, b) => a * b, 1);
  return {
    dtype: float32,
    shape,
    data: Float32Array.from({ length: count }, (_, i) => ((i * 7) % 11) / 11 - 0.4),
    provenance: "given",
  };
}

const network: OnnxFile = {
  producer: "story",
  inputs: { image: { dtype: float32, shape: ["N", 3, 8, 8] } },
  outputs: ["out"],
  initializers: { w: tensor(4, 3, 3, 3), b: tensor(4) },
  nodes: [
    {
      op: "Conv",
      name: "conv1",
      in: ["image", "w", "b"],
      out: ["c"],
      attrs: { pads: [1, 1, 1, 1], kernel_shape: [3, 3] },
    },
    { op: "Relu", name: "relu1", in: ["c"], out: ["r"] },
    { op: "GlobalAveragePool", name: "pool", in: ["r"], out: ["out"] },
  ],
};
const fixed: OnnxFile = { ...network, inputs: { image: { dtype: float32, shape: [1, 3, 8, 8] } } };
const file = (name: string, model: OnnxFile): DroppedFile => ({ name, bytes: writeOnnx(model) });

async function dropAndWait(page: Page, files: readonly DroppedFile[]): Promise<number> {
  const before = await runId(page);
  await dropFiles(page, files);
  return await waitForRun(page, before);
}

test("a dropped ONNX file is told what it is, and is linked from its nodes to the time", async ({ page }) => {
  await open(page);
  await dropAndWait(page, [file("net.onnx", fixed)]);
  const source = region(page, "Source");
  const facts = region(page, "The file");
  await expect(facts).toContainText("ONNX opset 13");
  await expect(facts).toContainText("story");
  await expect(facts).toContainText("float[1, 3, 8, 8]");
  await expect(facts).toContainText("GlobalAveragePool 1");
  expect(await listingText(page, /^Imported Relay/)).toMatch(
    /%0 = nn\.conv2d\(%image, meta\[relay\.Constant\]\[0\]/,
  );
  await expect(page.getByRole("treeitem", { name: /^p0 conv2d/ })).toHaveCount(1);

  await page
    .getByRole("listbox", { name: "Imported Relay" })
    .getByRole("option")
    .filter({ hasText: "nn.conv2d" })
    .click();
  const links = page.getByRole("navigation", { name: "Pinned chain" }).getByRole("listitem");
  await expect(links.nth(0)).toContainText("Conv conv1 → %");
  await expect(links.nth(1)).toContainText("fused_nn_conv2d");
  await expect(page.getByRole("treeitem", { selected: true })).toHaveAttribute("aria-label", /^p0 /);
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: /^Output / }).first()).toBeVisible();
  await expect(links.nth(6)).toContainText("µs");

  await source.getByRole("button", { name: "Edit a copy" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "made from seeds" })).toBeVisible();
  await expect(source.locator(".view-line").filter({ hasText: "nn.conv2d" }).first()).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(facts).toContainText("ONNX opset 13");
});

test("a dynamic dimension has a field; fixing it makes the plan, C and a run", async ({ page }) => {
  await open(page);
  const first = await dropAndWait(page, [file("net.onnx", network)]);
  const field = region(page, "The file").getByRole("textbox", { name: "image, dimension 0 (N)" });
  await expect(field).toHaveValue("1");
  await expect(region(page, "Memory map")).toContainText("No memory plan");
  await field.fill("2");
  await field.press("Enter");
  await waitForRun(page, first);
  await expect(page.getByRole("treeitem", { name: /^p0 conv2d.*2×4×8×8/ })).toHaveCount(1);
  await showTab(page, "C");
  await expect.poll(() => listingText(page, /^C, default_lib1/)).toContain("int32_t");
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: /^Output / }).first()).toContainText("2×4×1×1");
});

test("an input whose values decide shapes can be given them", async ({ page }) => {
  await open(page);
  await dropFiles(page, [
    file("reshape.onnx", {
      inputs: { x: { dtype: float32, shape: [4, 4] }, k: { dtype: int64, shape: [2] } },
      outputs: ["out"],
      nodes: [
        { op: "Reshape", name: "re", in: ["x", "k"], out: ["r"] },
        { op: "Relu", name: "relu", in: ["r"], out: ["out"] },
      ],
    }),
  ]);
  const value = region(page, "The file").getByRole("textbox", { name: "Value of k" });
  await value.fill("2, 8");
  const before = await runId(page);
  await value.press("Enter");
  await waitForRun(page, before);
  await expect(page.getByRole("treeitem", { name: /^p0 reshape relu/ })).toHaveCount(1);
  await expect(page.getByRole("treeitem", { name: /^output output, 2×8/ })).toHaveCount(1);
});

test("data in other files may come together or later", async ({ page }) => {
  await open(page);
  const outside = { ...fixed, external: { w: { location: "weights.bin", offset: 0 } } };
  const data: DroppedFile = {
    name: "weights.bin",
    bytes: new Uint8Array((fixed.initializers!["w"]!.data as Float32Array).buffer),
  };
  await dropFiles(page, [file("net.onnx", outside)]);
  await expect(region(page, "Problems").getByRole("article", { name: "error RS1822" })).toContainText(
    "weights.bin",
  );
  await dropAndWait(page, [data]);
  await expect(region(page, "The file")).toContainText("with weights.bin");
  await dropAndWait(page, [data, file("net2.onnx", outside)]);
  await expect(region(page, "Source")).toContainText("net2.onnx");
  await expect(page.locator("html")).toHaveAttribute("data-phase", "done");
});

test("the zip brings everything back, the link says what it cannot carry, a reload finds the file", async ({
  page,
  context,
}) => {
  await open(page);
  const first = await dropAndWait(page, [file("net.onnx", network)]);
  await region(page, "The file").getByRole("button", { name: "Fix these shapes" }).click();
  await waitForRun(page, first);
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByRole("dialog")).toContainText("The weights are not in the link");
  await expect(page.getByRole("textbox", { name: /^Link to this state/ })).not.toHaveValue("");
  const link = await page.getByRole("textbox", { name: /^Link to this state/ }).inputValue();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save .repro.zip" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("net.repro.zip");
  const zip = await (await import("node:fs/promises")).readFile(await download.path());
  await page.keyboard.press("Escape");

  await page.reload();
  await waitForRun(page);
  await expect(region(page, "The file")).toContainText("ONNX opset 13");
  await expect(region(page, "The file").getByRole("button", { name: "Leave them dynamic" })).toBeVisible();

  const other = await context.newPage();
  await other.goto(link);
  await waitForRun(other);
  await expect(other.getByRole("alert").filter({ hasText: "imported from net.onnx" })).toContainText("seeds");
  await expect(other.getByRole("treeitem", { name: /^p0 conv2d/ })).toHaveCount(1);
  await dropAndWait(other, [{ name: "net.repro.zip", bytes: zip }]);
  await expect(region(other, "The file")).toContainText("ONNX opset 13");
  await expect(region(other, "The file").getByRole("textbox", { name: /dimension 0/ })).toHaveValue("1");
  await expect(other.getByRole("treeitem", { name: /^p0 conv2d.*1×4×8×8/ })).toHaveCount(1);
});

test("a browser that kept nothing asks for the file again, and gives it the shapes that it had", async ({
  page,
}) => {
  await open(page);
  const first = await dropAndWait(page, [file("net.onnx", network)]);
  const field = region(page, "The file").getByRole("textbox", { name: /dimension 0/ });
  await field.fill("3");
  await field.press("Enter");
  await waitForRun(page, first);
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const gone = indexedDB.deleteDatabase("relayscope");
        for (const name of ["success", "error", "blocked"]) gone.addEventListener(name, resolve);
      }),
  );
  await page.reload();
  await expect(page.getByRole("alert").filter({ hasText: "net.onnx was open here" })).toContainText(
    "Drop it again",
  );
  await dropFiles(page, [file("net.onnx", network)]);
  await waitForRun(page);
  await expect(page.getByRole("treeitem", { name: /^p0 conv2d.*3×4×8×8/ })).toHaveCount(1);
});

test("operators that are not imported are listed at once, and the facts are there all the same", async ({
  page,
}) => {
  await open(page);
  const strange: OnnxFile = {
    ...fixed,
    nodes: [
      ...fixed.nodes.slice(0, 2),
      { op: "NoSuchOp", name: "odd", in: ["r"], out: ["x"] },
      { op: "Neither", name: "", in: ["x"], out: ["out"] },
    ],
  };
  await dropFiles(page, [file("strange.onnx", strange)]);
  const problem = region(page, "Problems").getByRole("article", { name: "error RS1824" });
  await expect(problem).toContainText("NoSuchOp");
  await expect(problem).toContainText("Neither");
  await expect(problem).toContainText("odd");
  await expect(region(page, "The file")).toContainText("NoSuchOp 1");
});

test("wrong files are told what they are, and what was there stays", async ({ page }) => {
  const first = await open(page);
  const whole = writeOnnx(fixed);
  const notice = page.getByRole("alert").filter({ hasText: "File" });
  const wrong: readonly (readonly [DroppedFile, RegExp])[] = [
    [
      { name: "cat.png", bytes: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0) },
      /cat\.png is a PNG image/,
    ],
    [
      { name: "net.onnx", bytes: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0) },
      /net\.onnx is a PNG image/,
    ],
    [
      { name: "things.zip", bytes: Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0, 0, 0) },
      /things\.zip cannot be opened: it is damaged/,
    ],
    [{ name: "empty.onnx", bytes: new Uint8Array() }, /empty\.onnx is empty: it has 0 bytes/],
    [{ name: "blob.dat", bytes: Uint8Array.of(1, 0, 2) }, /neither text nor a model file/],
  ];
  for (const [dropped, told] of wrong) {
    await dropFiles(page, [dropped]);
    await expect(notice).toContainText(told);
    expect(await runId(page)).toBe(first);
    await expect(page.getByRole("treeitem", { name: /^p2 conv2d/ })).toHaveCount(1);
  }
  for (const bytes of [
    whole.subarray(0, whole.length >> 1),
    Uint8Array.from(whole, (byte, i) => (i % 5 === 0 ? byte ^ 0x5a : byte)),
  ]) {
    await dropFiles(page, [{ name: "broken.onnx", bytes }]);
    await expect(region(page, "Problems").getByRole("article").first()).toContainText("RS18");
    await expect(page.getByRole("treeitem", { name: /^p2 conv2d/ })).toHaveCount(1);
    await expect(region(page, "View A")).toContainText("Stale");
  }
  await dropFiles(page, [
    { name: "broken.tflite", bytes: Uint8Array.of(0x1c, 0, 0, 0, 0x54, 0x46, 0x4c, 0x33, 1, 2, 3) },
  ]);
  await expect(region(page, "Problems").getByRole("article").first()).toContainText("RS1840");
  await dropAndWait(page, [file("net.onnx", fixed)]);
});
