/** How often verdicts are wrong: before anything was counted, with figures, and when the server fails. */
import type { ErrorRateList } from "../src/api/types";
import { inspect, SCREENS } from "./support/inspect";
import { expect, overviewPath, test } from "./support/test";

const API = "**/api/v1/projects/*/error-rates";
const COMPUTED_AT = "2026-11-24T10:00:00Z";

function share(count: number, of_count: number, low: number, high: number) {
  return { count, of_count, share: of_count === 0 ? null : count / of_count, interval: [low, high] };
}

const NONE = { count: 0, of_count: 0, share: null, interval: null };

function history(false_alarms: number) {
  const steps = [
    { change: 0.03, found: share(120, 400, 0.255, 0.347), median_delay_points: 24 },
    { change: 0.05, found: share(391, 400, 0.957, 0.99), median_delay_points: 9 },
    { change: 0.1, found: share(400, 400, 0.99, 1), median_delay_points: 6 },
    { change: 0.25, found: share(400, 400, 0.99, 1), median_delay_points: 5 },
  ];
  return { false_alarms: share(false_alarms, 120_000, 0, 0.000_031), steps };
}

const COMPARISONS = {
  false_verdicts: share(0, 800, 0, 0.0046),
  changes: [
    { change: 0.05, found: share(512, 800, 0.606, 0.673) },
    { change: 0.1, found: share(796, 800, 0.987, 0.999) },
  ],
  untold_count: 0,
};

const UNTOLD = {
  false_alarms: NONE,
  steps: [0.03, 0.05, 0.1, 0.25].map((change) => ({ change, found: NONE, median_delay_points: null })),
};

/** One class that tells much, and one that has too few points and repetitions. */
const RATES = {
  computed_at: COMPUTED_AT,
  total: {
    p50: history(0),
    p99: history(3),
    false_comparisons: share(1, 200, 0, 0.0275),
    comparisons: COMPARISONS,
  },
  machines: ["lab-linux-1", "lab-mac-2"].map((machine) => ({
    machine,
    computed_at: COMPUTED_AT,
    false_comparisons: share(1, 200, 0, 0.0275),
    classes: [
      {
        transport: "unix-stream",
        scenario: "roundtrip",
        series_count: 4,
        p50: history(0),
        p99: history(3),
        comparisons: COMPARISONS,
      },
      {
        transport: "memfd-remap",
        scenario: "stream",
        series_count: 2,
        p50: UNTOLD,
        p99: UNTOLD,
        comparisons: {
          false_verdicts: NONE,
          changes: [0.05, 0.1].map((change) => ({ change, found: NONE })),
          untold_count: 160,
        },
      },
    ],
  })),
} as ErrorRateList;

for (const { scheme, width } of SCREENS) {
  test.describe(`${scheme}, ${width} px`, () => {
    test.use({ colorScheme: scheme, viewport: { width, height: 900 } });

    test("error rates", async ({ page, report }) => {
      await page.route(API, (route) => route.fulfill({ json: RATES }));
      await page.goto(overviewPath(report));
      await page.getByRole("link", { name: "no verdict wrong in 800 no-change comparisons" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toContainText(
        "a step of 5 % of p50 is found in 98 of 100 cases, after a median of 9 points",
      );
      await expect(page.getByRole("cell", { name: "cannot tell" }).first()).toBeVisible();
      await inspect(page);

      await page.getByRole("button", { name: "p99", exact: true }).click();
      await expect(page.getByRole("cell", { name: "1 in 40,000" }).first()).toBeVisible();
    });

    test("error rates before the first count", async ({ page, report }) => {
      const json = { ...RATES, computed_at: null, machines: [] };
      await page.route(API, (route) => route.fulfill({ json }));
      await page.goto(`${overviewPath(report)}/error-rates`);
      await expect(page.getByRole("heading", { name: "Nothing was counted yet" })).toBeVisible();
      await inspect(page);
    });
  });
}

test("the server's own answer is understood", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/error-rates`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/Nothing was counted yet|^On /);
});
