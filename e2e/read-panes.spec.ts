// Story: somebody opens the page for the first time and finds the first example compiled, in every pane.
import { expect, listingText, open, region, runId, showTab, test, waitForRun } from "./fixtures.ts";

test("the first example is there, compiled, in every pane", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("status").filter({ hasText: "compiled in" })).toContainText("8 primitives");
  await expect(region(page, "Source").getByText("nn.softmax", { exact: false }).first()).toBeVisible();

  const stages = region(page, "Stages").getByRole("listitem");
  for (const name of [
    "Parse",
    "Types",
    "Passes",
    "Fuse",
    "Lower TE",
    "AOT main",
    "Storage",
    "TIR passes",
    "C",
    "WASM",
  ]) {
    await expect(stages.filter({ hasText: name }).first()).toBeVisible();
  }
  await expect(region(page, "Problems").getByRole("listitem").first()).toContainText("p0");

  await showTab(page, "Graph");
  await expect(page.getByRole("treeitem", { name: /^p\d/ })).toHaveCount(8);
  await expect(
    page.getByRole("treeitem", {
      name: /p2 conv2d expand_dims add relu, call 2, 1×16×10×10 · 6,400 B, sid_16, with c2w, c2b/,
    }),
  ).toHaveCount(1);
  await showTab(page, "IR diff");
  await expect(page.getByRole("region", { name: /^Relay, .* against FuseOps/ })).toContainText("Primitive=1");
  await showTab(page, "Primitives");
  await expect(region(page, "Primitives").getByRole("row")).toHaveCount(9);

  await showTab(page, "TIR");
  expect(await listingText(page, /^TIR of/)).toMatch(/for i\d? in range/);
  await showTab(page, "C");
  expect(await listingText(page, /^C, default_lib1/)).toContain("int32_t");
  await showTab(page, "WASM");
  expect(await listingText(page, /^WebAssembly text/)).toContain("(module");
  await showTab(page, "Graph JSON");
  expect(await listingText(page, /^Graph JSON/)).toContain('"name": "data"');
  await showTab(page, "Result");
  await expect(page.getByRole("region", { name: "Result of the run" })).toContainText("filled by rule");
});

test("the memory map shows every planner over the same tensors", async ({ page }) => {
  await open(page);
  const map = region(page, "Memory map");
  const totals: Record<string, string> = {
    "On-demand": "33,640",
    StorageRewrite: "23,560",
    "Greedy arena": "23,520",
    "Hill climb": "23,520",
  };
  for (const [planner, bytes] of Object.entries(totals)) {
    await map.getByRole("button", { name: new RegExp(`^${planner} `) }).click();
    await expect(map.getByRole("table", { name: new RegExp(`${bytes} bytes`) })).toBeAttached();
  }
  await expect(map.getByText(/^Lower bound/)).toContainText("23.5 kB");
  // Seven tensors between the calls; the last call writes to the caller.
  await expect(map.getByRole("table", { name: /^Tensors in memory/ }).getByRole("row")).toHaveCount(8);
  await map.getByRole("button", { name: "Peak" }).click();
  await expect(map.getByRole("group", { name: "Memory at this call" })).toContainText("At call 1, the peak");
  await expect(map.getByRole("row", { name: /^live/ })).toContainText("23,520");
  await map.getByRole("button", { name: "Next call" }).click();
  await expect(map.getByRole("row", { name: /^live/ })).toContainText("11,104");
  await expect(map.getByRole("group", { name: "Memory at this call" })).toContainText(
    "Freed after this call: p1, 4,704 B",
  );
});

test("every example compiles", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: /^Model/ }).click();
  const count = await page.getByRole("menuitemradio").count();
  await page.keyboard.press("Escape");
  expect(count).toBeGreaterThanOrEqual(6);
  let failing = 0;
  for (let i = count - 1; i >= 0; i--) {
    const before = await runId(page);
    await page.getByRole("button", { name: /^Model/ }).click();
    const entry = page.getByRole("menuitemradio").nth(i);
    const fails = /fail|broken|error/i.test(await entry.innerText());
    failing += Number(fails);
    await entry.click();
    if (fails) await expect(page.locator("html")).toHaveAttribute("data-phase", "failed");
    else await waitForRun(page, before);
    if (fails) await expect(region(page, "Problems").getByRole("article").first()).toContainText("RS");
    else await expect(page.getByRole("treeitem").first()).toBeAttached();
  }
  expect(failing).toBe(1);
});
