/**
 * End-to-end tests in a real Chromium against a running server: `ROUNDTRIP_URL` says where it is, and
 * `ROUNDTRIP_REPORT` names the report that was uploaded to it last. `ROUNDTRIP_AGENT` and `ROUNDTRIP_TOKEN_FILE` name
 * what files are imported with, and `ROUNDTRIP_ADMIN_TOKEN_FILE` the token of an administrator. `CHROMIUM` names the
 * browser.
 */
import { defineConfig } from "@playwright/test";
import { launchOptions } from "./bench/support/browser";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  reporter: "list",
  forbidOnly: process.env.CI !== undefined,
  // More would only wait for each other: the server and the browser use the processor as well.
  workers: 2,
  // Deadlines for a machine that is busy with other things, not expectations.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  use: {
    baseURL: process.env.ROUNDTRIP_URL ?? "http://127.0.0.1:7979",
    viewport: { width: 1360, height: 1000 },
    screenshot: "only-on-failure",
    launchOptions: launchOptions(),
  },
});
