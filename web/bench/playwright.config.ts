/**
 * The budgets of the web interface, measured in a real Chromium against a server with much stored: `cargo xtask bench web`
 * runs it. `ROUNDTRIP_URL` says where the server is, `ROUNDTRIP_FIGURES` where figures go, `ROUNDTRIP_QUICK` that fewer
 * repetitions do, `CHROMIUM` which browser. What figures must hold is not here: it judges none.
 */
import { defineConfig } from "@playwright/test";
import { launchOptions } from "./support/browser";

export default defineConfig({
  testDir: ".",
  testMatch: "*.bench.ts",
  outputDir: "../test-results/bench",
  reporter: "list",
  workers: 1,
  // Deadlines for a machine that is busy with other things.
  timeout: 1_800_000,
  expect: { timeout: 60_000 },
  use: {
    baseURL: process.env.ROUNDTRIP_URL ?? "http://127.0.0.1:7979",
    viewport: { width: 1360, height: 1000 },
    launchOptions: launchOptions(),
  },
});
