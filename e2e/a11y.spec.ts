// Story: axe finds nothing serious, in every state, light and dark, wide and on a phone.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, goldenInput, open, pasteSource, region, showTab, test } from "./fixtures.ts";

// axe takes seconds on a busy machine, and looks often here.
test.describe.configure({ timeout: 240_000 });

async function expectClean(page: Page, state: string): Promise<void> {
  // Legacy mode runs axe in this page alone: the other one opens a second page, and this one stops drawing meanwhile.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  expect(serious.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 5).join(" | ")}`), state).toEqual([]);
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("every pane, pinned and run", async ({ page }) => {
      await open(page);
      await expectClean(page, "compiled");
      await page.getByRole("button", { name: "Run", exact: true }).first().click();
      await expect(page.getByRole("region", { name: /^Output / }).first()).toBeVisible({ timeout: 30_000 });
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
    });
  });
}
