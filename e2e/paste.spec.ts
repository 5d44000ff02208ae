// Story: somebody pastes what print(mod) gave them. The values of constants are not in it; the page says what
// it does instead.
import { expect, open, pasteSource, region, test, waitForRun } from "./fixtures.ts";

const printed = `#[version = "0.0.5"]
def @main(%data: Tensor[(1, 3, 8, 8), float32]) -> Tensor[(1, 4, 6, 6), float32] {
  %0 = nn.conv2d(%data, meta[relay.Constant][0] /* ty=Tensor[(4, 3, 3, 3), float32] */, padding=[0, 0, 0, 0], channels=4, kernel_size=[3, 3]) /* ty=Tensor[(1, 4, 6, 6), float32] */;
  %1 = nn.bias_add(%0, meta[relay.Constant][1] /* ty=Tensor[(4), float32] */) /* ty=Tensor[(1, 4, 6, 6), float32] */;
  nn.relu(%1) /* ty=Tensor[(1, 4, 6, 6), float32] */
}

/* For metadata section see the module's astext(show_meta_data=True). */
`;

test("print(mod) without its metadata compiles, runs, and says that constants are seeded", async ({
  page,
}) => {
  const first = await open(page);
  await pasteSource(page, printed);
  const second = await waitForRun(page, first);
  await expect(page.getByRole("treeitem", { name: /^p0 conv2d .*relu/ })).toHaveCount(1);
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: "Result of the run" })).toContainText("2 constants");
  await expect(region(page, "Problems").getByRole("article")).toContainText("2 constants have no values");
  const output = page.getByRole("region", { name: /^Output / }).first();
  await expect(output).toContainText("1×4×6×6");
  const values = await output.getByRole("list").getByRole("listitem").allInnerTexts();

  // The same text gives the same numbers: the seeds are a rule, not a dice.
  await page.reload();
  await waitForRun(page);
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(output).toBeVisible();
  expect(await output.getByRole("list").getByRole("listitem").allInnerTexts()).toEqual(values);
  expect(second).toBeGreaterThan(first);
});

test("a bare fn without version or types of constants' users compiles", async ({ page }) => {
  const first = await open(page);
  await pasteSource(
    page,
    "fn (%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32]) {\n  %0 = add(%x, %y);\n  nn.relu(%0)\n}\n",
  );
  await waitForRun(page, first);
  await expect(page.getByRole("treeitem", { name: /^p0 add relu/ })).toHaveCount(1);
  await expect(region(page, "Problems").getByRole("article")).toHaveCount(0);
});
