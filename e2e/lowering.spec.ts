// Stories of what lowering can do beyond one device and known shapes: two devices, an external code
// generator, a dynamic batch.
import {
  expect,
  listingText,
  open,
  openExample,
  region,
  runId,
  showTab,
  test,
  waitForRun,
} from "./fixtures.ts";

test("two devices: copies at the borders, a device at every node, memory by device", async ({ page }) => {
  await open(page);
  await openExample(page, /^Two devices/);
  await expect(page.getByRole("button", { name: /^Target/ })).toContainText("1=c, 4=opencl");
  await expect(region(page, "Problems")).toContainText("runs on the same CPU as device 1");
  await expect(page.getByRole("treeitem", { name: /device_copy/ })).toHaveCount(2);
  await expect(page.getByRole("treeitem", { name: /conv2d relu.*on device 4=opencl/ })).toHaveCount(1);
  await expect(page.getByRole("treeitem", { name: /tanh.*on device 1=c/ })).toHaveCount(1);
  const here = region(page, "Memory map").getByRole("group", { name: "Memory at this call" });
  await expect(here.getByRole("row", { name: /^on 1=c/ })).toContainText("8,192");
  await expect(here.getByRole("row", { name: /^on 4=opencl/ })).toContainText("16,384");
  await showTab(page, "Graph JSON");
  await expect.poll(() => listingText(page, /^Graph JSON/)).toContain("nodes");
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: /^Output / }).first()).toBeVisible();

  // One target again: the options dialog takes the second away.
  const before = await runId(page);
  await page.getByRole("button", { name: "Options…" }).click();
  await page.getByRole("button", { name: "Remove target 2" }).click();
  await page.keyboard.press("Escape");
  await waitForRun(page, before);
  await expect(page.getByRole("button", { name: /^Target/ })).toHaveText("Targetc");
});

test("an external code generator: its regions are framed, its C is a file of its own, the cache tells them apart", async ({
  page,
}) => {
  await open(page);
  await openExample(page, /^External code generator/);
  await expect(page.getByRole("treeitem", { name: /made by ccompiler/ })).toHaveCount(2);
  await expect(region(page, "View A").locator("svg rect.region")).toHaveCount(2);
  await page.getByRole("tree", { name: "Graph nodes" }).focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(
    page.getByRole("navigation", { name: "Pinned chain" }).getByRole("listitem").nth(4),
  ).toContainText("default_lib2.c");
  await showTab(page, "C");
  await expect(page.getByRole("combobox", { name: "C file" })).toHaveValue("c/lib2");
  expect(await listingText(page, /^C, default_lib2/)).toContain("External function normalise");
  await showTab(page, "Primitives");
  await page.getByRole("button", { name: "Cache", exact: true }).click();
  const cache = region(page, "Compile cache");
  await expect(cache.getByRole("row", { name: /normalise.*external ccompiler/ })).toBeVisible();
  await expect(cache.getByRole("row", { name: /fused_sigmoid.*lowered/ })).toBeVisible();
  await cache
    .getByRole("row", { name: /blend/ })
    .getByRole("button", { name: /^Pin call/ })
    .click();
  await expect(page.getByRole("combobox", { name: "C file" })).toHaveValue("c/lib3");
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: /^Output / }).first()).toBeVisible();
});

test("partitioning on demand: a program without regions gets them from an option", async ({ page }) => {
  await open(page);
  const first = await openExample(page, /^Residual block/);
  await page.getByRole("button", { name: "Options…" }).click();
  await page.getByRole("textbox", { name: "Partition" }).fill("ccompiler=add");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await waitForRun(page, first);
  await expect(page.getByRole("treeitem", { name: /made by ccompiler/ })).not.toHaveCount(0);
});

test("a dynamic batch: shape functions give every call's shapes, fixing them gives a plan", async ({
  page,
}) => {
  await open(page);
  const first = await openExample(page, /^Unknown batch/);
  await showTab(page, "Shapes");
  const shapes = region(page, "Shapes");
  await expect(shapes.getByRole("table", { name: /^Shape functions/ })).toContainText(
    "shape_func_nn_softmax",
  );
  await shapes.getByRole("textbox", { name: "x, dimension 0" }).fill("3");
  await shapes.getByRole("button", { name: "Evaluate shapes" }).click();
  const calls = shapes.getByRole("table", { name: "Shapes of every call" });
  await expect(calls.getByRole("row")).toHaveCount(5);
  await expect(calls.getByRole("row").nth(1)).toContainText("3×8");
  await expect(shapes.getByRole("status")).toContainText("3×2×4");
  await calls.getByRole("button", { name: "shape_func_subtract_reshape" }).click();
  await expect
    .poll(() => listingText(page, /^TIR of shape_func_subtract_reshape/))
    .toContain("def shape_func_subtract_reshape");
  await calls.getByRole("row").nth(3).getByRole("button", { name: "kernel" }).click();
  await expect.poll(() => listingText(page, /^TIR of/)).toContain('T.Buffer[(3, 2, 4), "float32"]');
  await shapes.getByRole("button", { name: "Fix these shapes" }).click();
  await waitForRun(page, first);
  await expect(shapes).toContainText("Compiled for");
  await expect(region(page, "Memory map").getByRole("table", { name: /^Tensors in memory/ })).toBeAttached();
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: /^Output / }).first()).toContainText("3×2×4");
});

test("the schedule stands below the loops that it made", async ({ page }) => {
  await open(page);
  await showTab(page, "TIR");
  await expect(region(page, "Schedule").getByRole("list").getByRole("listitem").first()).toContainText(
    /s\[|= s\./,
  );
});

test("a block in the map and a changed line say why", async ({ page }) => {
  await open(page);
  const map = region(page, "Memory map");
  await map.getByRole("button", { name: "p1", exact: true }).click();
  await page.mouse.move(0, 0);
  await expect(map.getByRole("group", { name: "Memory at this call" })).toContainText(
    /p1 sid_\d+ (gets storage of its own|\([\d,]+ bytes\) takes over)/,
  );
  await openExample(page, /^Convolution, batch norm/);
  await region(page, "Stages")
    .getByRole("button", { name: /^FoldScaleAxis/ })
    .click();
  await page
    .getByRole("button", { name: /^Why line \d+ changed/ })
    .last()
    .click();
  await expect(page.getByRole("list", { name: /^Remarks on line/ })).toContainText(
    "the scale moved back into the weights of a convolution",
  );
});
