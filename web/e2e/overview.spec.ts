/** The overview shows the numbers that were measured. */
import { formatNs } from "../src/lib/units";
import { measuredResults, NO_PARAMETERS, P50, quantile, samplesOf } from "./support/report";
import { expect, overviewPath, test } from "./support/test";

const SLICE = {
  scenario: "roundtrip",
  mode: "2proc",
  placement: "same-cpu",
  message_bytes: 1024,
  ...NO_PARAMETERS,
};

test("the address without a path leads to the only project", async ({ page, report }) => {
  await page.goto("/");
  await expect(page).toHaveURL(new RegExp(`${overviewPath(report)}$`));
});

test("the grid shows the median of every transport", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  const results = measuredResults(report, SLICE);
  expect(results.length).toBeGreaterThan(0);
  for (const result of results) {
    const row = page
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name: result.transport.slug, exact: true }) });
    await expect(row).toContainText(formatNs(quantile(samplesOf(result), P50)));
  }
});

test("the headline names the fastest and the slowest transport", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  const medians = measuredResults(report, SLICE).map((result) => quantile(samplesOf(result), P50));
  const headline = page.getByRole("heading", { level: 1 });
  await expect(headline).toContainText(`takes ${formatNs(Math.min(...medians))} over`);
  await expect(headline).toContainText(formatNs(Math.max(...medians)));
  await expect(headline).toContainText(report.machine.slug);
});

test("another message size is shown, and kept in the address", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await page.getByLabel("Message size").selectOption("65536");
  await expect(page).toHaveURL(/bytes=65536/);
  const [result] = measuredResults(report, { ...SLICE, message_bytes: 65_536 });
  if (result === undefined) throw new Error("The report has no 64 KiB round trip on one processor.");
  const row = page
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name: result.transport.slug, exact: true }) });
  await expect(row).toContainText(formatNs(quantile(samplesOf(result), P50)));
});

test("the machine and the run are listed", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await expect(page.getByRole("rowheader", { name: report.machine.slug, exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: report.commit.sha.slice(0, 7) }).first()).toBeVisible();
});

test("nothing moves once there is something to click", async ({ page, report }) => {
  // The answers that come last are late: a link that moves meanwhile is missed by whoever is about to click it.
  await page.route(/\/api\/v1\/(runs\/|points)/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  const arrived = page.waitForResponse(/\/api\/v1\/points/);
  await page.goto(overviewPath(report));
  const link = page.locator("a.grid-cell").first();
  const before = await link.boundingBox();
  await arrived;
  await expect(page.getByText(/^Canaries/)).toBeVisible();
  expect(await link.boundingBox()).toEqual(before);
});
