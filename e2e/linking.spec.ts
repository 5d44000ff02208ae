// Story: pointing at one thing lights it in every pane; a click keeps it lit, numbered 1 to 7.
import type { Page } from "@playwright/test";
import { expect, open, region, showTab, test } from "./fixtures.ts";

/** The line of the editor that holds `text`. */
function sourceLine(page: Page, text: string) {
  return region(page, "Source").locator(".view-line").filter({ hasText: text }).first();
}

test("hover on a Relay line lights its primitive, memory block, C lines and WASM function", async ({ page }) => {
  await open(page);
  await showTab(page, "C");
  await sourceLine(page, "%c2w, padding").hover();
  const graph = region(page, "View A");
  await expect(graph.locator('svg g[data-node="11"] rect.edge')).toHaveCount(1);
  await expect(graph.locator("svg rect.edge")).toHaveCount(1);
  await expect(region(page, "Memory map").locator("svg rect.edge")).not.toHaveCount(0);
  const c = page.getByRole("listbox", { name: /^C, default_lib1/ });
  await expect(c).toBeVisible();
  await expect(region(page, "Source").locator(".rshov")).not.toHaveCount(0);
  // A preview moves nothing: the lit C may lie below what shows. Pinned, it is brought into sight.
  await sourceLine(page, "%c2w, padding").click();
  await expect(page.getByRole("navigation", { name: "Pinned chain" })).toBeVisible();
  await expect(c.getByRole("option", { selected: true }).first()).toContainText("int32_t");
  await showTab(page, "WASM");
  await expect(page.getByRole("listbox", { name: /^WebAssembly text/ }).getByRole("option", { selected: true }).first()).toContainText("func");
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

  await chain.getByRole("button", { name: "Pin the call after" }).click();
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
