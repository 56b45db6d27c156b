/**
 * Compares screenshots of the component page and of main pages with those in `visual/baselines/`. The development server
 * with the mock API provides the pages. `CHROMIUM` is the browser.
 */
import { defineConfig } from "@playwright/test";
import { launchOptions } from "../bench/support/browser";

const PORT = 5179;

export default defineConfig({
  testDir: ".",
  testMatch: "*.visual.ts",
  outputDir: "../test-results/visual",
  snapshotPathTemplate: "{testDir}/baselines/{arg}{ext}",
  reporter: "list",
  forbidOnly: process.env.CI !== undefined,
  workers: 1,
  // Long enough for a busy machine.
  timeout: 120_000,
  expect: {
    timeout: 60_000,
    // Fonts of the system and versions of the browser draw edges differently.
    toHaveScreenshot: { maxDiffPixelRatio: 0.004, animations: "disabled", caret: "hide" },
  },
  webServer: {
    command: `npx vite --mode mock --port ${PORT} --strictPort`,
    cwd: "..",
    port: PORT,
    reuseExistingServer: false,
    timeout: 120_000,
  },
  use: {
    baseURL: `http://localhost:${PORT}`,
    viewport: { width: 1280, height: 800 },
    timezoneId: "UTC",
    launchOptions: launchOptions("--disable-lcd-text", "--hide-scrollbars"),
    contextOptions: { reducedMotion: "reduce" },
  },
});
