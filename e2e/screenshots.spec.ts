// The screens of the mock with real data: compiled, run and pinned; the memory map maximised at its peak; the
// phone.
import type { Page } from "@playwright/test";
import { expect, open, region, showTab, test } from "./fixtures.ts";

const folder = "test-results/screenshots";

async function runModel(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: /^Output / }).first()).toBeVisible();
}

/** Pins the second convolution and opens its node, as in the mock. */
async function pinConvolution(page: Page): Promise<void> {
  const tree = page.getByRole("tree", { name: "Graph nodes" });
  await tree.focus();
  for (const key of ["Home", "ArrowDown", "ArrowDown", "ArrowDown", "Enter", "ArrowRight"])
    await page.keyboard.press(key);
  await tree.blur();
  await page.mouse.move(0, 0);
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("compiled, run and pinned", async ({ page }) => {
      await open(page);
      await runModel(page);
      await showTab(page, "C");
      await pinConvolution(page);
      await expect(
        page.getByRole("listbox", { name: /^C, / }).getByRole("option", { selected: true }).first(),
      ).toBeVisible();
      await page.screenshot({ path: `${folder}/done-${colorScheme}.png` });
    });

    test("memory map at its peak", async ({ page }) => {
      await open(page);
      await runModel(page);
      await region(page, "Memory map").getByRole("button", { name: "Peak" }).click();
      await page.getByRole("button", { name: "Maximise the memory map" }).click();
      await page.mouse.move(0, 0);
      await page.screenshot({ path: `${folder}/memory-${colorScheme}.png` });
    });

    test.describe("phone", () => {
      test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

      test("graph and chain", async ({ page }) => {
        await open(page);
        await runModel(page);
        await page.getByRole("tab", { name: "Graph" }).first().click();
        await pinConvolution(page);
        await page.screenshot({ path: `${folder}/phone-${colorScheme}.png` });
      });
    });
  });
}
