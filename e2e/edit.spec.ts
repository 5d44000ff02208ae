// Story: somebody changes the model and sees every pane follow; what they typed outlives a reload.
import { expect, listingText, open, pasteSource, region, showTab, test, waitForRun } from "./fixtures.ts";

const small = `#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8), float32], %w: Tensor[(4, 8), float32]) {
  %0 = nn.dense(%x, %w, units=None);
  nn.relu(%0)
}
`;

test("an edit is compiled and every pane follows", async ({ page }) => {
  const first = await open(page);
  await pasteSource(page, small);
  const second = await waitForRun(page, first);
  await expect(page.getByRole("status").filter({ hasText: "compiled in" })).toContainText("1 primitive ");
  await expect(page.getByRole("treeitem", { name: /^p0 dense relu/ })).toHaveCount(1);
  await showTab(page, "C");
  await expect
    .poll(() => listingText(page, /^C, default_lib1/))
    .toContain("tvmgen_default_fused_nn_dense_nn_relu");

  // One more operator, typed and not pasted: relu becomes tanh over relu.
  await pasteSource(page, small.replace("nn.relu(%0)", "%1 = nn.relu(%0);\n  tanh(%1)"));
  await waitForRun(page, second);
  await expect(page.getByRole("treeitem", { name: /^p0 dense relu tanh/ })).toHaveCount(1);
  await showTab(page, "Primitives");
  await expect(
    region(page, "Primitives").getByRole("row", { name: /fused_nn_dense_nn_relu_tanh/ }),
  ).toBeVisible();
});

test("options change what is compiled", async ({ page }) => {
  const first = await open(page);
  await page.getByRole("group", { name: "Optimisation level" }).getByRole("button", { name: "0" }).click();
  const second = await waitForRun(page, first);
  await expect(page.getByRole("status").filter({ hasText: "compiled in" })).toContainText("15 primitives");
  await page.getByRole("button", { name: /^Executor/ }).click();
  await page.getByRole("menuitemradio", { name: /^graph/ }).click();
  await waitForRun(page, second);
  await expect(region(page, "Memory map").getByRole("button", { name: /^Graph plan/ })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
});

test("what was typed is there after a reload, and an example can be undone", async ({ page }) => {
  const first = await open(page);
  await pasteSource(page, small);
  await waitForRun(page, first);
  await page.reload();
  await waitForRun(page);
  await expect(page.getByRole("treeitem", { name: /^p0 dense relu/ })).toHaveCount(1);
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("menuitemradio").first().click();
  await expect(page.getByRole("treeitem", { name: /^p7 softmax/ })).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("treeitem", { name: /^p0 dense relu/ })).toHaveCount(1);
});
