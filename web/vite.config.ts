/**
 * Builds `dist/`, which the server embeds; in development, proxies the API to a server on its usual port, or in the mode
 * `mock` answers it by itself.
 * The unit tests' settings are here too, so that both resolve modules alike.
 */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { compression, defineAlgorithm } from "vite-plugin-compression2";
import { defineConfig } from "vitest/config";
import { LICENCES, licencesOfFiles } from "./licences.ts";
import { mockServer } from "./mock/plugin.ts";

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig(({ mode }) => ({
  plugins: [
    react(),
    mode === "mock" && mockServer(),
    licencesOfFiles(),
    // Once, as well as it can be done: the server sends these as they are.
    compression({
      include: /\.(js|css|svg)$/,
      algorithms: [defineAlgorithm("brotliCompress"), defineAlgorithm("gzip", { level: 9 })],
    }),
  ],
  resolve: {
    alias: {
      "@": pathOf("./src"),
      "victory-vendor/d3-scale": pathOf("./src/components/chart/scales.ts"),
    },
  },
  server: {
    proxy: { "/api": "http://127.0.0.1:7979", "^/l/[0-9a-f]{10}$": "http://127.0.0.1:7979" },
  },
  build: {
    // The first browsers that know `light-dark()`, which the colours are written in.
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The content security policy allows fonts and images from this origin only, not `data:`.
    assetsInlineLimit: 0,
    // Of all packages that are in it.
    license: { fileName: LICENCES },
    // Which scripts each page takes: they are counted in tests.
    manifest: true,
    rolldownOptions: {
      output: {
        // A few files in place of forty that are a few hundred bytes each.
        codeSplitting: {
          groups: [
            {
              name: "base",
              test: /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|openapi-fetch|@tanstack)\//,
            },
            {
              name: "shared",
              // Of the charts, what is drawn without axes, too.
              test: /\/src\/(api|lib|components\/(ui|chart(?=\/(?!scales)[a-z]\w+\.tsx?$)))\//,
              minShareCount: 2,
            },
            { name: "plots", test: /\/src\/components\/chart\/(Plot|plottables)/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  test: {
    // One worker for each core, and what is pure without a document: starting one takes longer than most tests.
    pool: "threads",
    isolate: false,
    // A deadline for a machine that is busy with other things, not an expectation.
    testTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "pure", environment: "node", include: ["src/**/*.test.ts", "mock/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "pages",
          environment: "jsdom",
          include: ["src/**/*.test.tsx"],
          setupFiles: ["src/test/setup.ts"],
        },
      },
    ],
  },
}));
