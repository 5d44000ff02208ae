// Story: on a phone somebody reads the graph, pins by touch, edits, runs.
import { expect, goldenOutputs, open, test, waitForRun } from "./fixtures.ts";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test("a phone can read, pin, edit and run", async ({ page }) => {
  const first = await open(page);
  const room = (name: string) => page.getByRole("tablist", { name: "Rooms" }).getByRole("tab", { name });
  await expect(room("Graph")).toHaveAttribute("aria-selected", "true");
  await page.getByRole("group", { name: "Graph drawing" }).locator("svg g[data-node]").nth(3).tap();
  await expect(page.getByRole("navigation", { name: "Pinned chain" }).getByRole("listitem")).toHaveCount(7);

  await room("Memory").tap();
  await expect(page.getByRole("combobox", { name: "Memory planner" })).toBeVisible();
  await room("Source").tap();
  const source = page.getByRole("textbox", { name: "Relay source" });
  await source.fill((await source.inputValue()).replace("nn.softmax(%13)", "nn.relu(%13)"));
  await waitForRun(page, first);
  await room("Graph").tap();
  await expect(page.getByRole("treeitem", { name: /dense add relu/ })).not.toHaveCount(0);

  await room("Source").tap();
  await source.fill((await source.inputValue()).replace("nn.relu(%13)", "nn.softmax(%13)"));
  await waitForRun(page, first + 1);
  await page.getByRole("button", { name: "Run", exact: true }).first().tap();
  const output = page.getByRole("region", { name: /^Output / }).first();
  await expect(output).toBeVisible();
  await expect(output.getByRole("listitem").first()).toContainText(
    String(Number(goldenOutputs("lenet")[0]!.values[0]!.toPrecision(4))),
  );
});

test("nothing is wider than the phone", async ({ page }) => {
  await open(page);
  for (const name of ["Source", "Stages", "Graph", "Memory", "Code", "Run"]) {
    await page.getByRole("tablist", { name: "Rooms" }).getByRole("tab", { name }).tap();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  }
});
