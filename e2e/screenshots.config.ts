// `npm run screenshots`: LeNet at 1440x900 in both themes and at 390x844, into test-results/screenshots.
import { defineConfig } from "@playwright/test";
import stories from "../playwright.config.ts";

export default defineConfig({
  ...stories,
  testDir: ".",
  testMatch: "screenshots.spec.ts",
  testIgnore: [],
  outputDir: "../test-results/screenshots-run",
});
