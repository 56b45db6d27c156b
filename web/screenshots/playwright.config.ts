/**
 * Pictures of every page for the docs, of a server that has measured something: `cargo xtask screenshots` runs it.
 * `ROUNDTRIP_URL` says where the server is, `ROUNDTRIP_PROJECT` which project is shown, `ROUNDTRIP_USER_TOKEN` who looks,
 * `ROUNDTRIP_PICTURES` the folder for the pictures, `ROUNDTRIP_WITHOUT` which pages have nothing to show yet, `CHROMIUM` which
 * browser.
 */
import { defineConfig } from "@playwright/test";
import { launchOptions } from "../bench/support/browser";

export default defineConfig({
  testDir: ".",
  testMatch: "*.pictures.ts",
  outputDir: "../test-results/pictures",
  reporter: "list",
  workers: 1,
  // Deadlines for a machine that is busy with other things.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    baseURL: process.env.ROUNDTRIP_URL ?? "http://127.0.0.1:7979",
    // Text has no coloured edges, which would look wrong on other screens.
    launchOptions: launchOptions("--disable-lcd-text", "--hide-scrollbars"),
    // Pictures of charts that are still growing would differ each time.
    contextOptions: { reducedMotion: "reduce" },
  },
});
