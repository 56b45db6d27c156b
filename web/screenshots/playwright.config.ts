/**
 * Takes pictures of every page for the docs, from a server with measurements. `cargo xtask screenshots` runs it.
 *
 * Environment variables:
 * - `ROUNDTRIP_URL`: the address of the server.
 * - `ROUNDTRIP_PROJECT`: the project to show.
 * - `ROUNDTRIP_USER_TOKEN`: the token to sign in with.
 * - `ROUNDTRIP_PICTURES`: the folder for the pictures.
 * - `ROUNDTRIP_WITHOUT`: the pages to skip, because they have no content yet.
 * - `CHROMIUM`: the browser.
 */
import { defineConfig } from "@playwright/test";
import { launchOptions } from "../bench/support/browser";

export default defineConfig({
  testDir: ".",
  testMatch: "*.pictures.ts",
  outputDir: "../test-results/pictures",
  reporter: "list",
  workers: 1,
  // Long enough for a busy machine.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    baseURL: process.env.ROUNDTRIP_URL ?? "http://127.0.0.1:7979",
    // No subpixel rendering of text, which would look wrong on other screens.
    launchOptions: launchOptions("--disable-lcd-text", "--hide-scrollbars"),
    // No animations, which would make each picture different.
    contextOptions: { reducedMotion: "reduce" },
  },
});
