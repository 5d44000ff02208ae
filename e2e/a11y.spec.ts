// Story: axe finds nothing serious, in every state, light and dark, wide and on a phone.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { float32 } from "../src/compiler/ir/dtype.ts";
import { writeOnnx } from "../src/testing/harness/onnx-writer.ts";
import {
  dropFiles,
  expect,
  goldenInput,
  open,
  openExample,
  pasteSource,
  region,
  runId,
  showTab,
  test,
  waitForRun,
} from "./fixtures.ts";

// axe takes seconds on a busy machine, and looks often here.

async function expectClean(page: Page, state: string): Promise<void> {
  // Legacy mode runs axe in this page alone: the other one opens a second page, and this one stops drawing
  // meanwhile.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  expect(
    serious.map(
      (v) =>
        `${v.id}: ${v.nodes
          .map((n) => n.target.join(" "))
          .slice(0, 5)
          .join(" | ")}`,
    ),
    state,
  ).toEqual([]);
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("every pane, pinned and run", async ({ page }) => {
      await open(page);
      await expectClean(page, "compiled");
      await page.getByRole("button", { name: "Run", exact: true }).first().click();
      await expect(page.getByRole("region", { name: /^Output / }).first()).toBeVisible();
      await region(page, "Memory map").getByRole("button", { name: "Next call" }).click();
      for (const tab of ["Result", "TIR", "C", "WASM", "Graph JSON", "IR diff", "Primitives", "Graph"]) {
        await showTab(page, tab);
        await expectClean(page, `${tab}, pinned`);
      }
      await page.getByRole("button", { name: "Maximise the memory map" }).click();
      await expectClean(page, "memory map maximised");
    });

    test("an error, and the dialogs", async ({ page }) => {
      await open(page);
      await page.getByRole("button", { name: "Share" }).click();
      await expectClean(page, "share dialog");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Options…" }).click();
      await expectClean(page, "options dialog");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Help" }).click();
      await expectClean(page, "help dialog");
      await page.keyboard.press("Escape");
      await pasteSource(page, goldenInput("lenet").replace("(16, 6, 5, 5)", "(16, 8, 5, 5)"));
      await expect(page.locator("html")).toHaveAttribute("data-phase", "failed");
      await expectClean(page, "type error");
    });
  });
}

const openNetwork = writeOnnx({
  inputs: { x: { dtype: float32, shape: ["N", 4] } },
  outputs: ["out"],
  nodes: [
    { op: "Relu", name: "relu", in: ["x"], out: ["r"] },
    { op: "Softmax", name: "soft", in: ["r"], out: ["out"] },
  ],
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`models and lowering, ${colorScheme}`, () => {
    test.use({ colorScheme });

    test("a model file, dynamic shapes, a wrong file, devices, the cache, why a line changed", async ({
      page,
    }) => {
      const first = await open(page);
      await dropFiles(page, [{ name: "net.onnx", bytes: openNetwork }]);
      await waitForRun(page, first);
      await expect(region(page, "The file")).toContainText("Softmax");
      await expectClean(page, "model file");
      await showTab(page, "Shapes");
      await region(page, "Shapes").getByRole("button", { name: "Evaluate shapes" }).click();
      await expect(region(page, "Shapes").getByRole("table")).toBeVisible();
      await expectClean(page, "shapes evaluated");
      await page.getByRole("button", { name: "Share" }).click();
      await expect(page.getByRole("dialog")).toContainText("not in the link");
      await expectClean(page, "share dialog of a file");
      await page.keyboard.press("Escape");
      await dropFiles(page, [{ name: "cat.png", bytes: Uint8Array.of(0x89, 0x50, 0x4e, 0x47) }]);
      await expectClean(page, "wrong file");

      await openExample(page, /^Two devices/);
      await showTab(page, "Graph");
      await expectClean(page, "two devices");
      await page.getByRole("button", { name: "Options…" }).click();
      await expectClean(page, "options with two targets");
      await page.keyboard.press("Escape");
      await showTab(page, "Primitives");
      await page.getByRole("button", { name: "Cache", exact: true }).click();
      await showTab(page, "TIR");
      await expectClean(page, "cache and schedule");
      const before = await runId(page);
      await openExample(page, /^Convolution, batch norm/);
      await waitForRun(page, before);
      await region(page, "Stages")
        .getByRole("button", { name: /^FoldScaleAxis/ })
        .click();
      await page
        .getByRole("button", { name: /^Why line/ })
        .last()
        .click();
      await expectClean(page, "why a line changed");
    });
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`phone, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width: 390, height: 844 }, hasTouch: true });

    test("every room", async ({ page }) => {
      await open(page);
      for (const room of ["Source", "Stages", "Memory", "Code", "Run", "Graph"]) {
        await page.getByRole("tablist", { name: "Rooms" }).getByRole("tab", { name: room }).click();
        await expectClean(page, `${room} on a phone`);
      }
      await page.getByRole("tree", { name: "Graph nodes" }).press("Enter");
      await expect(page.getByRole("navigation", { name: "Pinned chain" })).toBeVisible();
      await expectClean(page, "chain on a phone");
      await dropFiles(page, [{ name: "net.onnx", bytes: openNetwork }]);
      await page.getByRole("tablist", { name: "Rooms" }).getByRole("tab", { name: "Source" }).click();
      await expect(region(page, "The file")).toContainText("Softmax");
      await expectClean(page, "model file on a phone");
    });
  });
}
