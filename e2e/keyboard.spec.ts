// Story: the whole journey without a mouse: open an example, step passes, pin, follow the chain, share.
import { expect, open, region, runId, test, waitForRun } from "./fixtures.ts";

test("a journey by keys alone", async ({ page }) => {
  const first = await open(page);
  const command = async (words: string): Promise<void> => {
    await page.keyboard.press("ControlOrMeta+k");
    await expect(page.getByRole("combobox", { name: "Command" })).toBeFocused();
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
  };
  await command("open multi-layer");
  await waitForRun(page, first);

  await page.keyboard.press("Alt+2");
  await page.keyboard.press("]");
  await expect(page.getByRole("tab", { name: "IR diff" })).toHaveAttribute("aria-selected", "true");
  await command("show graph");
  await expect(page.getByRole("tab", { name: "Graph", exact: true })).toHaveAttribute(
    "aria-selected",
    "true",
  );

  await page.getByRole("group", { name: "Graph drawing" }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const chain = page.getByRole("navigation", { name: "Pinned chain" });
  await expect(chain).toContainText("0 of 0–");
  // Forward along the chain: Relay, primitive, call, storage, C, WASM; and one back.
  for (let i = 0; i < 6; i++) await page.keyboard.press(".");
  await expect(page.getByRole("tab", { name: "WASM" })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press(",");
  await expect(page.getByRole("tab", { name: "C", exact: true })).toHaveAttribute("aria-selected", "true");

  await page.keyboard.press("Alt+5");
  await page.getByRole("group", { name: "Memory by call and address" }).focus();
  await page.keyboard.press("End");
  await expect(region(page, "Memory map").getByText(/^call \d+$/)).not.toHaveText("call 0");
  await page.keyboard.press("Home");
  await expect(region(page, "Memory map").getByText(/^call \d+$/)).toHaveText("call 0");
  await page.keyboard.press("Escape");
  await expect(chain).toHaveCount(0);

  await page.keyboard.press("ControlOrMeta+Shift+s");
  await expect(page.getByRole("dialog", { name: "Share" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await runId(page)).toBeGreaterThan(first);
});
