// Story: whose output is this? While another model fails or is compiled, what is still there names its own
// model, and the numbers of a run name theirs.
import { dropFiles, expect, open, region, showTab, test, waitForRun } from "./fixtures.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const broken = bytes("def @main(%x: Tensor[(1, 8), float32]) { add(%x, %y) }\n");
const good = bytes("def @main(%x: Tensor[(1, 8), float32]) { nn.relu(%x) }\n");

test("panes, rail and result name the model whose output they show", async ({ page }) => {
  const first = await open(page);
  const view = region(page, "View A");
  await expect(view.locator(".runtag")).toHaveText(/^lenet.*, O3$/);
  await page.keyboard.press("Control+Shift+Enter");
  await showTab(page, "Result");
  const result = region(page, "View B");
  await expect(result).toContainText(/lenet.*, O3, aot, \d\d:\d\d:\d\d/);

  await dropFiles(page, [{ name: "broken.relay", bytes: broken }]);
  await expect(page.locator("html")).toHaveAttribute("data-phase", "failed");
  await expect(view).toContainText(/Stale\s*lenet.*, O3, aot, .*waits for/);
  await expect(result).toContainText(/numbers of lenet/);
  await expect(region(page, "Stages")).toContainText("broken.relay");

  await dropFiles(page, [{ name: "second.relay", bytes: good }]);
  await waitForRun(page, first);
  await expect(view.locator(".runtag")).toHaveText("second.relay, O3");
  await expect(view).not.toContainText("Stale");
  await expect(region(page, "Stages")).toContainText("second.relay, O3, aot");
  await expect(result).toContainText(/numbers of lenet/);
});
