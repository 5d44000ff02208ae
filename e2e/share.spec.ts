// Story: a link opens the same thing elsewhere: text, options, tabs, what is pinned.
import { expect, goldenInput, open, pasteSource, region, test, waitForRun } from "./fixtures.ts";

test("a link reopens the same state in a new tab", async ({ page, context }) => {
  const first = await open(page);
  const text = goldenInput("conv_bias_relu");
  await pasteSource(page, text);
  const second = await waitForRun(page, first);
  await page.getByRole("group", { name: "Optimisation level" }).getByRole("button", { name: "2" }).click();
  await waitForRun(page, second);
  await page.getByRole("tab", { name: /^Primitives/ }).click();
  await page.getByRole("tab", { name: /^WASM/ }).click();
  await region(page, "Primitives")
    .getByRole("row", { name: /fused_nn_conv2d/ })
    .first()
    .getByRole("button", { pressed: false })
    .last()
    .click();
  const pinned = await page
    .getByRole("navigation", { name: "Pinned chain" })
    .getByRole("listitem")
    .nth(1)
    .innerText();

  await page.getByRole("button", { name: "Share" }).click();
  const link = await page.getByRole("textbox", { name: /^Link to this state/ }).inputValue();
  expect(link).toContain("#1;");

  const other = await context.newPage();
  await other.goto(link);
  await waitForRun(other);
  await expect(
    other.getByRole("group", { name: "Optimisation level" }).getByRole("button", { name: "2" }),
  ).toHaveAttribute("aria-pressed", "true");
  await expect(other.getByRole("tab", { name: /^Primitives/ })).toHaveAttribute("aria-selected", "true");
  await expect(other.getByRole("tab", { name: /^WASM/ })).toHaveAttribute("aria-selected", "true");
  await expect(
    other.getByRole("navigation", { name: "Pinned chain" }).getByRole("listitem").nth(1),
  ).toHaveText(pinned, { useInnerText: true });
  // The same state gives the same link.
  await other.getByRole("button", { name: "Share" }).click();
  expect(await other.getByRole("textbox", { name: /^Link to this state/ }).inputValue()).toBe(link);
});

test("a truncated link says so and the page works", async ({ page, context }) => {
  const first = await open(page);
  await pasteSource(page, goldenInput("mlp"));
  await waitForRun(page, first);
  await page.getByRole("button", { name: "Share" }).click();
  const link = await page.getByRole("textbox", { name: /^Link to this state/ }).inputValue();
  const other = await context.newPage();
  await other.goto(link.slice(0, -40));
  await expect(other.getByRole("alert").filter({ hasText: "Link" })).toContainText(/\d/);
  // What could be read is there, and the page compiles.
  await pasteSource(other, goldenInput("conv_bias_relu"));
  await expect(other.getByRole("treeitem", { name: /^p0 conv2d/ })).toHaveCount(1);
});
