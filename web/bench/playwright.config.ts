/**
 * Measures the web interface in a real Chromium, against a server with large projects. `cargo xtask bench web` runs it and
 * compares the figures with the budgets.
 *
 * Environment variables:
 * - `ROUNDTRIP_URL`: the address of the server.
 * - `ROUNDTRIP_FIGURES`: the file for the figures.
 * - `ROUNDTRIP_QUICK`: if set, measures fewer repetitions.
 * - `CHROMIUM`: the browser.
 */
import { defineConfig } from "@playwright/test";
import { launchOptions } from "./support/browser";

export default defineConfig({
  testDir: ".",
  testMatch: "*.bench.ts",
  outputDir: "../test-results/bench",
  reporter: "list",
  workers: 1,
  // Long enough for a busy machine.
  timeout: 1_800_000,
  expect: { timeout: 60_000 },
  use: {
    baseURL: process.env.ROUNDTRIP_URL ?? "http://127.0.0.1:7979",
    viewport: { width: 1360, height: 1000 },
    launchOptions: launchOptions(),
  },
});
