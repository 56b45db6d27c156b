/** Error rates: before the first computation, and with data. */
import { ERROR_RATES, RATES } from "./support/errorRates";
import { inspect, inspectAt, onEveryScreen } from "./support/inspect";
import { expect, overviewPath, test } from "./support/test";

onEveryScreen(() => {
  test("error rates", async ({ page, report }) => {
    await page.route(ERROR_RATES, (route) => route.fulfill({ json: RATES }));
    await page.goto(`${overviewPath(report)}/error-rates`);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(
      "A 5 % step in p50 is found in 98 % of cases, after 9 points (median)",
    );
    await expect(page.getByText("Threshold: two standard deviations of the noise")).toBeVisible();
    await expect(page.getByRole("cell", { name: "no data" }).first()).toBeVisible();
    await inspect(page);

    await page.getByRole("button", { name: "p99", exact: true }).click();
    await expect(page.getByRole("cell", { name: "1 in 40,000" }).first()).toBeVisible();
    await page.getByRole("button", { name: "tail", exact: true }).click();
    await expect(page.getByRole("cell", { name: "1 in 20,000" }).first()).toBeVisible();
  });

  test("error rates before the first computation", async ({ page, report }) => {
    const json = { ...RATES, computed_at: null, machines: [] };
    await page.route(ERROR_RATES, (route) => route.fulfill({ json }));
    await inspectAt(
      page,
      `${overviewPath(report)}/error-rates`,
      page.getByRole("heading", { name: "No error rates yet" }),
    );
  });
});

test("real responses of the server are shown", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/error-rates`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    /^(No error rates yet|Error rates: |False alarms: )/,
  );
});
