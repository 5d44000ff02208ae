// What every story stands on: a page that may not complain, may not ask another origin, and says when a
// compilation is shown.
import { readFileSync } from "node:fs";
import { test as base, expect, type BrowserContext, type Locator, type Page } from "@playwright/test";

/**
 * Everything that fails a story on its own: console errors and warnings, uncaught errors, CSP violations,
 * foreign requests.
 */
function watch(context: BrowserContext, home: string, complaints: string[]): void {
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      complaints.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => complaints.push(`page error: ${String(error.error())}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    const inside = url.protocol === "data:" || url.protocol === "blob:" || url.origin === home;
    if (!inside) complaints.push(`request to another origin: ${request.url()}`);
  });
}

export interface Guard {
  /** Lets complaints that match pass: for stories that provoke them. */
  allow(pattern: RegExp): void;
}

export const test = base.extend<{ guard: Guard }>({
  guard: [
    async ({ context, baseURL }, use) => {
      const complaints: string[] = [];
      const allowed: RegExp[] = [];
      watch(context, new URL(baseURL ?? "").origin, complaints);
      await context.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) =>
          console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`),
        );
        addEventListener("unhandledrejection", (event) =>
          console.error(`unhandled rejection: ${String(event.reason)}`),
        );
      });
      await use({ allow: (pattern) => allowed.push(pattern) });
      expect(
        complaints.filter((text) => !allowed.some((pattern) => pattern.test(text))),
        "the page complained",
      ).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** The number of the compilation that the panes show. */
export async function runId(page: Page): Promise<number> {
  return Number((await page.locator("html").getAttribute("data-run-id")) ?? "0");
}

/** Waits until a compilation newer than `after` is done and shown. */
export async function waitForRun(page: Page, after = 0): Promise<number> {
  await expect.poll(() => runId(page)).toBeGreaterThan(after);
  return await runId(page);
}

/** Opens the page and waits for the first example. */
export async function open(page: Page, path = "/"): Promise<number> {
  await page.goto(path);
  return await waitForRun(page);
}

export function region(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

export async function showTab(page: Page, name: string): Promise<void> {
  await page
    .getByRole("tab", { name: new RegExp(`^${name}`) })
    .first()
    .click();
}

/** Chooses an entry of the Model menu. */
export async function openExample(page: Page, title: RegExp): Promise<number> {
  const before = await runId(page);
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("menuitemradio", { name: title }).click();
  return await waitForRun(page, before);
}

/** Replaces the whole source, as somebody who selects all and pastes. */
export async function pasteSource(page: Page, text: string): Promise<void> {
  // The plain text area of the first moments gives way to the editor.
  await expect(page.locator(".monaco-editor")).toBeVisible();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.getByRole("textbox", { name: "Relay source" }).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+v");
}

export interface DroppedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Drops files on the page, as from a file manager. */
export async function dropFiles(page: Page, files: readonly DroppedFile[]): Promise<void> {
  const given = files.map(({ name, bytes }) => ({ name, data: Buffer.from(bytes).toString("base64") }));
  const transfer = await page.evaluateHandle((list) => {
    const all = new DataTransfer();
    for (const { name, data } of list)
      all.items.add(new File([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], name));
    return all;
  }, given);
  await page.locator("main").dispatchEvent("drop", { dataTransfer: transfer });
}

/** Text of a listing without line numbers, as far as it is drawn. */
export async function listingText(page: Page, name: RegExp): Promise<string> {
  // A listing is printed when its tab is first shown.
  const lines = page.getByRole("listbox", { name }).getByRole("option");
  await lines.first().waitFor();
  return (await lines.allInnerTexts()).join("\n");
}

export interface GoldenOutput {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

/** What the real TVM 0.8 gave for a network with inputs by the fill rule. */
export function goldenOutputs(name: string): readonly GoldenOutput[] {
  const record = JSON.parse(
    readFileSync(new URL(`../src/testing/golden/programs/${name}.json`, import.meta.url), "utf8"),
  ) as { outputs: GoldenOutput[] };
  return record.outputs;
}

export function goldenInput(name: string): string {
  return (
    JSON.parse(
      readFileSync(new URL(`../src/testing/golden/programs/${name}.json`, import.meta.url), "utf8"),
    ) as { input: string }
  ).input;
}
