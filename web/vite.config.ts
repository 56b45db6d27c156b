/**
 * Builds `dist/`, which the server embeds; in development, proxies the API to a server on its usual port, or in the mode
 * `mock` answers it by itself.
 * The unit tests' settings are here too, so that both resolve modules alike.
 */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { mockApi } from "./mock/plugin.ts";

export default defineConfig(({ mode }) => ({
  plugins: [react(), mode === "mock" && mockApi()],
  resolve: {
    alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) },
  },
  server: {
    proxy: { "/api": "http://127.0.0.1:7979", "^/l/[0-9a-f]{10}$": "http://127.0.0.1:7979" },
  },
  build: {
    // The first browsers that know `light-dark()`, which the colours are written in.
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The content security policy allows fonts and images from this origin only, not `data:`.
    assetsInlineLimit: 0,
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}", "mock/**/*.test.ts"],
    setupFiles: ["src/test/setup.ts"],
  },
}));
