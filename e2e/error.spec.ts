// Story: somebody makes a mistake and is told where, what was expected and what was got; nothing that was
// there goes blank.
import { expect, goldenInput, open, pasteSource, region, test, waitForRun } from "./fixtures.ts";

const wrong = goldenInput("lenet").replace(
  "%c2w: Tensor[(16, 6, 5, 5), float32]",
  "%c2w: Tensor[(16, 8, 5, 5), float32]",
);

test("a type error has a squiggle, a message and a place; the last good output stays, dimmed", async ({
  page,
}) => {
  const first = await open(page);
  await pasteSource(page, wrong);
  await expect(page.locator("html")).toHaveAttribute("data-phase", "failed");
  const problem = region(page, "Problems")
    .getByRole("article", { name: /^error RS/ })
    .first();
  await expect(problem).toContainText("nn.conv2d");
  await expect(problem).toContainText("expected");
  await expect(problem).toContainText("got");
  await expect(page.getByRole("alert").filter({ hasText: "error" })).toContainText("1 error");
  // The squiggle is Monaco's own drawing.
  await expect(region(page, "Source").locator(".squiggly-error")).not.toHaveCount(0);

  await expect(page.getByRole("treeitem", { name: /^p2 conv2d/ })).toHaveCount(1);
  await expect(region(page, "View A")).toContainText("Stale");
  await expect(region(page, "Memory map")).toBeVisible();
  await expect(region(page, "Stages")).toContainText("stopped here");

  await problem.getByRole("button").first().click();
  await expect(page.getByRole("textbox", { name: "Relay source" })).toBeFocused();

  await pasteSource(page, goldenInput("lenet"));
  await waitForRun(page, first);
  await expect(region(page, "View A")).not.toContainText("Stale");
  await expect(region(page, "Problems").getByRole("article")).toHaveCount(0);
});

test("bad input of every kind is a diagnostic and the page stays usable", async ({ page }) => {
  const first = await open(page);
  const inputs: readonly (readonly [string, RegExp])[] = [
    ["this is not relay at all {{{", /RS/],
    ["def @main(%x: Tensor[(1, 8), float32]) {\n  %0 = nn.relu(%x", /RS/],
    ["def @main(%x: Tensor[(1099511627776), float32]) {\n  nn.relu(%x)\n}", /RS/],
    ["def @main(%x: Tensor[(1, 8), float33]) {\n  nn.relu(%x)\n}", /float33/],
    ["def @main(%x: Tensor[(1, 8), float32]) {\n  nn.rleu(%x)\n}", /nn\.relu/],
    ["def @main(%x: Tensor[(1, 8), float32]) {\n  nn.relu(%y)\n}", /%y/],
  ];
  for (const [text, told] of inputs) {
    await pasteSource(page, text);
    await expect(region(page, "Problems").getByRole("article").first()).toContainText(told);
    await expect(page.locator("html")).toHaveAttribute("data-phase", "failed");
    await expect(page.getByRole("treeitem", { name: /^p2 conv2d/ })).toHaveCount(1);
  }
  await pasteSource(page, goldenInput("mlp"));
  await waitForRun(page, first);
});
