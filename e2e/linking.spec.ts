// Story: pointing at one thing lights it in every pane; a click keeps it lit, numbered 1 to 7.
import type { Locator, Page } from "@playwright/test";
import { expect, open, region, showTab, test } from "./fixtures.ts";

/** The line of the editor that matches; Monaco draws spaces as no-break spaces. */
function sourceLine(page: Page, text: RegExp): Locator {
  return region(page, "Source").locator(".view-line").filter({ hasText: text }).first();
}

test("hover on a Relay line lights its primitive, memory block, C lines and WASM function", async ({
  page,
}) => {
  await open(page);
  await showTab(page, "C");
  const relu = sourceLine(page, /%2\s=\snn\.relu/);
  const graph = region(page, "View A");
  const c = page.getByRole("listbox", { name: /^C, default_lib1/ });
  const map = region(page, "Memory map");
  // Node 9 of the graph JSON is the first call; outlined alone, and nothing is washed or flagged.
  await expect(async () => {
    await page.mouse.move(0, 0);
    await relu.hover({ position: { x: 60, y: 8 } });
    await expect(graph.locator('svg g[data-node="9"] rect.edge')).toHaveCount(1, { timeout: 1000 });
  }).toPass();
  await expect(graph.locator("svg g[data-node] rect.edge")).toHaveCount(1);
  await expect(map.locator("svg rect.edge")).toHaveCount(1);
  await expect(c.locator(".hov").first()).toContainText(/nn\.conv2d|tvmgen_default_fused_nn_conv2d/);
  await expect(region(page, "Source").locator(".rshov")).not.toHaveCount(0);
  await expect(page.getByRole("navigation", { name: "Pinned chain" })).toHaveCount(0);
  await showTab(page, "WASM");
  await relu.hover({ position: { x: 60, y: 8 } });
  await expect(
    page
      .getByRole("listbox", { name: /^WebAssembly text/ })
      .locator(".hov")
      .first(),
  ).toContainText("func");

  await relu.click({ position: { x: 60, y: 8 } });
  await expect(page.getByRole("navigation", { name: "Pinned chain" })).toBeVisible();
  await showTab(page, "WASM");
  await expect(
    page
      .getByRole("listbox", { name: /^WebAssembly text/ })
      .getByRole("option", { selected: true })
      .first(),
  ).toContainText("func");
});

test("a pin is numbered through all panes, and any pane can make it", async ({ page }) => {
  await open(page);
  await page.getByRole("tree", { name: "Graph nodes" }).focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const chain = page.getByRole("navigation", { name: "Pinned chain" });
  const links = chain.getByRole("listitem");
  await expect(links).toHaveCount(7);
  await expect(links.nth(1)).toContainText("fused_nn_conv2d_expand_dims_add_nn_relu_1");
  await expect(links.nth(2)).toContainText("2 of 0–7");
  await expect(links.nth(3)).toContainText("sid_16 @ 0x0000 6,400 of 18,816 B");
  await expect(links.nth(4)).toContainText("default_lib1.c");
  await expect(links.nth(5)).toContainText(/func \d+ [\d,]+ B/);
  await expect(page.getByRole("treeitem", { selected: true })).toHaveAttribute("aria-label", /^p2 /);

  await region(page, "Memory map").getByRole("button", { name: "Next call" }).click();
  await expect(links.nth(1)).toContainText("fused_nn_avg_pool2d");
  await page.keyboard.press("Escape");
  await expect(chain).toHaveCount(0);

  await region(page, "Memory map").getByRole("button", { name: "p1", exact: true }).click();
  await expect(links.nth(1)).toContainText("fused_nn_max_pool2d");
  await chain.getByRole("button", { name: "WASM" }).click();
  await expect(page.getByRole("tab", { name: "WASM" })).toHaveAttribute("aria-selected", "true");
});

test("the gap between two nodes says why they were not fused", async ({ page }) => {
  await open(page);
  await page.getByRole("tree", { name: "Graph nodes" }).focus();
  const node = page.getByRole("treeitem", { name: /^p0 / });
  await expect(node).toHaveAttribute("aria-label", /not fused with p1: .{10,}/);
  const drawing = page.getByRole("group", { name: "Graph drawing" });
  const box = await drawing.locator('svg g[data-node="9"] rect').nth(1).boundingBox();
  await page.mouse.move(box!.x + 60, box!.y + box!.height + 9);
  await expect(page.getByRole("note")).toContainText("Not fused");
});
