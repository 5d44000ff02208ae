// The stories of e2e/ against the production build, in Debian's Chromium: no browser is downloaded.
import { defineConfig } from "@playwright/test";

export const chromiumPath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
export const chromiumArgs = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** E2E_PORT and E2E_SITE: another build on another port, beside a run that is going on. */
export const port = Number(process.env["E2E_PORT"] ?? "4303");
const site = process.env["E2E_SITE"] ?? "dist/site";

export default defineConfig({
  testDir: "e2e",
  testMatch: "*.spec.ts",
  testIgnore: "screenshots.spec.ts",
  outputDir: `test-results/e2e${process.env["E2E_PORT"] ?? ""}`,
  // Two busy cores: stories that share them with a compiler at work would time out for no fault of theirs.
  workers: 1,
  timeout: 600_000,
  expect: { timeout: 120_000 },
  forbidOnly: process.env["CI"] !== undefined,
  reporter: [["list"]],
  use: {
    baseURL: `http://localhost:${port}`,
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    reducedMotion: "reduce",
    trace: "retain-on-failure",
    launchOptions: { executablePath: chromiumPath, args: chromiumArgs },
  },
  webServer: {
    cwd: import.meta.dirname,
    command: `node node_modules/vite/bin/vite.js preview --port ${port} --strictPort --outDir ${site}`,
    url: `http://localhost:${port}`,
    reuseExistingServer: false,
  },
});
