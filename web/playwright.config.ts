/**
 * End-to-end tests in a real Chromium against a running server.
 *
 * Environment variables:
 * - `ROUNDTRIP_URL`: the address of the server.
 * - `ROUNDTRIP_REPORT`: the report that was uploaded last.
 * - `ROUNDTRIP_AGENT`, `ROUNDTRIP_TOKEN_FILE`: the program and the token file to import files with.
 * - `ROUNDTRIP_SERVER_PROGRAM`: the program to build static sites with.
 * - `ROUNDTRIP_ADMIN_TOKEN_FILE`: the file with the token of an administrator.
 * - `CHROMIUM`: the browser.
 */
import { defineConfig } from "@playwright/test";
import { launchOptions } from "./bench/support/browser";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  reporter: "list",
  forbidOnly: process.env.CI !== undefined,
  // More workers would not be faster: the server and the browser need processors too.
  workers: 2,
  // Long enough for a busy machine.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  use: {
    baseURL: process.env.ROUNDTRIP_URL ?? "http://127.0.0.1:7979",
    viewport: { width: 1360, height: 1000 },
    screenshot: "only-on-failure",
    launchOptions: launchOptions(),
  },
});
