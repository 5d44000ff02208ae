// Story: the compiler's worker dies or does not answer; it is replaced, and nothing that somebody typed or
// saw is lost.
import { expect, goldenInput, open, pasteSource, region, runId, test, waitForRun } from "./fixtures.ts";

/** A model that keeps the worker busy for a while. */
function chain(length: number): string {
  const lines = Array.from(
    { length },
    (_, i) =>
      `  %${i} = ${i % 2 === 0 ? "nn.relu" : "annotation.stop_fusion"}(${i === 0 ? "%x" : `%${i - 1}`});`,
  );
  return `#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 64), float32]) {\n${lines.join("\n")}\n  nn.relu(%${length - 1})\n}\n`;
}

test("a worker killed in the middle is replaced and nothing is lost", async ({ page, guard }) => {
  guard.allow(/killed by a story/);
  const first = await open(page);
  const compiler = page.workers().find((worker) => worker.url().includes("compiler"));
  expect(compiler).toBeDefined();
  await pasteSource(page, chain(3000));
  await expect(page.locator("html")).toHaveAttribute("data-phase", "compiling");
  await compiler!
    .evaluate(() => {
      setTimeout(() => {
        throw new Error("killed by a story");
      }, 0);
    })
    .catch(() => {});
  await expect(page.getByRole("alert").filter({ hasText: "Compiler restarted" })).toContainText(
    "Your text is as it was",
  );
  // The text under way is compiled by the new worker.
  await waitForRun(page, first);
  await expect(region(page, "Source").getByText("stop_fusion").first()).toBeVisible();
  const second = await runId(page);
  await pasteSource(page, goldenInput("mlp"));
  await waitForRun(page, second);
});

test("Stop ends the compilation under way and the last good output stays", async ({ page }) => {
  await open(page);
  await pasteSource(page, chain(30_000));
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-phase", "stopped");
  await expect(page.getByRole("treeitem", { name: /^p7 softmax/ })).toHaveCount(1);
  await expect(region(page, "View A")).toContainText("Stale");
  await pasteSource(page, goldenInput("lenet"));
  await waitForRun(page, 1);
});
