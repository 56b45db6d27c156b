/** Every page in light and dark, wide and narrow: accessible, and never wider than the screen. */
import { inspect, SCREENS } from "./support/inspect";
import { expect, openSeries, overviewPath, test } from "./support/test";

for (const { scheme, width } of SCREENS) {
  test.describe(`${scheme}, ${width} px`, () => {
    test.use({ colorScheme: scheme, viewport: { width, height: 900 } });

    test("overview, runs and run", async ({ page, report }) => {
      await page.goto(overviewPath(report));
      await expect(page.getByRole("heading", { name: "Recent runs" })).toBeVisible();
      await inspect(page);

      await page.goto(`${overviewPath(report)}/runs`);
      await expect(page.getByRole("table")).toBeVisible();
      await inspect(page);

      await page.goto(`${overviewPath(report)}/runs/${report.run_id}`);
      await expect(page.getByRole("heading", { name: "Reproduce" })).toBeVisible();
      await inspect(page);
    });

    test("series, as charts and as tables", async ({ page, report }) => {
      await openSeries(page, report, "pipe");
      await expect(page.locator("[data-chart=sizes] .curve").first()).toBeVisible();
      await expect(page.getByRole("img", { name: /^Histogram/ })).toBeVisible();
      await expect(page.getByRole("img", { name: /^Heat map/ })).toBeVisible();
      await expect(page.getByRole("img", { name: /^Latency by percentile/ })).toBeVisible();
      await inspect(page);

      await page.goto(`${new URL(page.url()).pathname}?tables=trend.histogram.sizes`);
      await expect(page.getByRole("table")).toHaveCount(3);
      await inspect(page);

      await page.goto(`${overviewPath(report)}?scenario=stream`);
      await page.locator("a.grid-cell").first().click();
      await expect(page.locator("[data-chart=sizes] .curve").first()).toBeVisible();
      await inspect(page);
    });

    test("signing in", async ({ page }) => {
      await page.goto("/-/sign-in?failed=no-account");
      await expect(page.getByRole("alert")).toBeVisible();
      await inspect(page);
    });

    test("page not found", async ({ page }) => {
      await page.goto("/nowhere/at/all");
      await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
      await inspect(page);
    });
  });
}
