/** Every page in light and dark, wide and narrow: accessible, and never wider than the screen. */
import { inspect, inspectAt, onEveryScreen } from "./support/inspect";
import { expect, openSeries, overviewPath, test } from "./support/test";

onEveryScreen(() => {
  test("overview, runs and run", async ({ page, report }) => {
    const overview = overviewPath(report);
    await inspectAt(page, overview, page.getByRole("heading", { name: "Machines" }));
    await inspectAt(page, `${overview}/runs`, page.getByRole("table"));
    const commands = page.getByRole("heading", { name: "Reproduce" });
    await inspectAt(page, `${overview}/runs/${report.run_id}`, commands);
  });

  test("series, as charts and as tables", async ({ page, report }) => {
    await openSeries(page, report, "pipe");
    await expect(page.locator("[data-chart=sizes] .curve").first()).toBeVisible();
    await expect(page.getByRole("img", { name: /^Density/ })).toBeVisible();
    await expect(page.getByRole("img", { name: /^Heat map/ })).toBeVisible();
    await expect(page.getByRole("img", { name: /of each repetition$/ })).toBeVisible();
    await inspect(page);

    await page.goto(`${new URL(page.url()).pathname}?tables=trend.distribution.sizes`);
    await expect(page.getByRole("table")).toHaveCount(3);
    await inspect(page);

    await page.goto(`${overviewPath(report)}?scenario=stream`);
    await page.locator("a.grid-cell").first().click();
    await expect(page.locator("[data-chart=sizes] .curve").first()).toBeVisible();
    await inspect(page);
  });

  test("signing in", async ({ page }) => {
    await inspectAt(page, "/-/sign-in?failed=no-account", page.getByRole("alert"));
  });

  test("page not found", async ({ page }) => {
    await inspectAt(page, "/nowhere/at/all", page.getByRole("heading", { name: "Page not found" }));
  });
});
