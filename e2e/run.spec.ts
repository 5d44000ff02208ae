// Story: somebody presses Run and gets the numbers that the real TVM gives.
import type { Page } from "@playwright/test";
import {
  expect,
  goldenInput,
  goldenOutputs,
  open,
  pasteSource,
  region,
  test,
  waitForRun,
} from "./fixtures.ts";

async function shownValues(page: Page): Promise<number[]> {
  const output = page.getByRole("region", { name: /^Output / }).first();
  await expect(output).toBeVisible();
  const rows = await output.getByRole("list").getByRole("listitem").allInnerTexts();
  // Each row is the index and the value.
  return rows.map((row) => Number(row.trim().split(/\s+/).at(-1)));
}

function expectClose(got: readonly number[], wanted: readonly number[]): void {
  expect(got.length).toBeGreaterThan(0);
  for (const [i, value] of got.entries())
    expect(Math.abs(value - wanted[i]!)).toBeLessThanOrEqual(2e-5 + 1e-3 * Math.abs(wanted[i]!));
}

test("LeNet gives the reference's numbers, by the AOT runner and by the graph executor", async ({ page }) => {
  const first = await open(page);
  const [reference] = goldenOutputs("lenet");
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  expectClose(await shownValues(page), reference!.values);
  await expect(region(page, "Time a call").getByRole("row")).toHaveCount(9);

  await page.getByRole("button", { name: /^Executor/ }).click();
  await page.getByRole("menuitemradio", { name: /^graph/ }).click();
  await waitForRun(page, first);
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: "Result of the run" })).toContainText("Executor graph");
  await expect(page.getByRole("region", { name: "Result of the run" }).getByText("Stale")).toHaveCount(0);
  expectClose(await shownValues(page), reference!.values);
});

test("times appear in graph, map, table and chain", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: /^Output / }).first()).toBeVisible();
  await expect(page.getByRole("treeitem", { name: /^p0 .*µs/ })).toHaveCount(1);
  await region(page, "Memory map").getByRole("button", { name: "Next call" }).click();
  await expect(
    page.getByRole("navigation", { name: "Pinned chain" }).getByRole("listitem").nth(6),
  ).toContainText(/[\d.]+ µs \d+ %/);
});

for (const name of ["split_consumers", "take_and_where"]) {
  test(`${name} gives the reference's numbers too`, async ({ page }) => {
    const first = await open(page);
    await pasteSource(page, goldenInput(name));
    await waitForRun(page, first);
    await page.getByRole("button", { name: "Run", exact: true }).first().click();
    expectClose(await shownValues(page), goldenOutputs(name)[0]!.values);
  });
}
