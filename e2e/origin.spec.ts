// Story: nothing leaves the browser. Every story fails on a foreign request; this one also pulls the plug.
import { expect, goldenInput, open, pasteSource, showTab, test, waitForRun } from "./fixtures.ts";

test("loaded once, the page compiles, runs and shares without a network", async ({ page, context }) => {
  const requests: string[] = [];
  context.on("request", (request) => requests.push(request.url()));
  const first = await open(page);
  for (const tab of ["IR diff", "Primitives", "Graph", "TIR", "WASM", "Graph JSON", "Result", "C"])
    await showTab(page, tab);
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: /^Output / }).first()).toBeVisible();
  const before = requests.length;
  await context.setOffline(true);
  await pasteSource(page, goldenInput("mlp"));
  await waitForRun(page, first);
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await expect(page.getByRole("region", { name: "Result of the run" }).getByText("Stale")).toHaveCount(0);
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByRole("textbox", { name: /^Link to this state/ })).not.toHaveValue("");
  expect(
    requests.slice(before).filter((url) => !url.startsWith("blob:") && !url.startsWith("data:")),
  ).toEqual([]);
});
