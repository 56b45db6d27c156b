/**
 * Builds `dist/`, which the server embeds. In development, it proxies the API to a server on the default port; in mode
 * `mock`, it serves a mock API instead. The settings of the unit tests are here too, so that both resolve modules alike.
 */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { compression, defineAlgorithm } from "vite-plugin-compression2";
import { defineConfig } from "vitest/config";
import { LICENCES, licencesOfFiles } from "./licences.ts";
import { mockServer } from "./mock/plugin.ts";

/** The script with everything around charts, Recharts included. */
const PLOTS = "plots";

/**
 * Most pages draw charts. Browsers fetch the script for them while they run the first scripts, instead of after that,
 * which takes long on a phone.
 */
const preloadPlots = (): Plugin => ({
  name: "preload-plots",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) => {
      const plots = Object.values(bundle).filter(({ type, name }) => type === "chunk" && name === PLOTS);
      return plots.map(({ fileName }) => ({
        tag: "link",
        attrs: { rel: "modulepreload", crossorigin: true, href: `/${fileName}`, fetchpriority: "low" },
        injectTo: "head",
      }));
    },
  },
});

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig(({ mode }) => ({
  plugins: [
    react(),
    mode === "mock" && mockServer(),
    licencesOfFiles(),
    preloadPlots(),
    // Compress once at the highest level: the server sends these files unchanged.
    compression({
      include: /\.(js|css|svg)$/,
      algorithms: [defineAlgorithm("brotliCompress"), defineAlgorithm("gzip", { level: 9 })],
    }),
  ],
  resolve: {
    alias: {
      "@": pathOf("./src"),
      "victory-vendor/d3-scale": pathOf("./src/components/chart/scales.ts"),
      "decimal.js-light": pathOf("./src/components/chart/decimal.ts"),
    },
  },
  server: {
    proxy: { "/api": "http://127.0.0.1:7979", "^/l/[0-9a-f]{10}$": "http://127.0.0.1:7979" },
  },
  experimental: {
    // Scripts and styles refer to each other relatively, so that a static site works in any folder.
    renderBuiltUrl: (_file, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  build: {
    // The first browsers that support `light-dark()`, which all colours use.
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The content security policy allows fonts and images from this origin only, not `data:`.
    assetsInlineLimit: 0,
    // The licences of all bundled packages.
    license: { fileName: LICENCES },
    // Lists the scripts of each page, which tests measure.
    manifest: true,
    rolldownOptions: {
      output: {
        // A few files instead of forty with a few hundred bytes each.
        codeSplitting: {
          groups: [
            {
              name: "base",
              // Except for modules that only long lists need.
              test: /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|openapi-fetch|@tanstack)\/(?!(react-)?virtual|.*\/(useQueries|useInfiniteQuery|queriesObserver|infiniteQueryObserver)\.)/,
            },
            {
              name: "shared",
              // Including small components and charts without axes, but no part of Recharts.
              test: /\/src\/(api|lib(?!\/(fastest|badges))|components\/(ui|series\/(search|traits)|BudgetBar|DeliveryTable|LazyBeforeAfter|MachineState|PlaceChoice|Suspicions|chart\/(ChartFrame|DataTable|LatencyShape|LazySweepChart|LineChoice|LineSample|(?!scales|decimal|swept|usePlot)[a-z]\w+\.tsx?$)))/,
              minShareCount: 2,
            },
            // The first visit to a series needs no ranking of transports.
            {
              name: "sweeps",
              test: /\/src\/(lib\/fastest|components\/chart\/swept)\.ts$/,
              minShareCount: 2,
            },
            {
              name: PLOTS,
              test: /\/src\/components\/chart\/(Plot|PointedPlot|Tooltip|usePlot|plottables)/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  test: {
    // One thread per core. Tests of pure functions get no DOM, because setting one up takes longer than most tests.
    pool: "threads",
    isolate: false,
    // Long enough for a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
