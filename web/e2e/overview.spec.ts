/** The overview shows the numbers that were measured. */

import { aChangePoint, aCommit, aRegression } from "@/test/fixtures";
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
  // Other journeys create projects of their own while this one runs.
  await page.route(/\/api\/v1\/projects(\?|$)/, async (route) => {
    const response = await route.fetch();
    const { projects, ...rest } = await response.json();
    const own = projects.filter(({ project }: { project: string }) => project === report.project);
    await route.fulfill({ response, json: { ...rest, projects: own } });
  });
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

test("the headline says whether anything is worse, and how sure that is", async ({ page, report }) => {
  // Others of these tests may have uploaded what they measured of another commit.
  const { commit_count } = await (await page.request.get(`/api/v1/projects/${report.project}`)).json();
  await page.goto(overviewPath(report));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    commit_count === 1
      ? "Nothing can be worse yet: one commit was measured."
      : "Nothing got slower, and the machine is steady.",
  );
  await expect(page.getByRole("link", { name: /verdicts? (are )?wrong/ })).toHaveAttribute(
    "href",
    /\/error-rates$/,
  );
});

test("the fastest and the slowest transport are named above the grid", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  const medians = measuredResults(report, SLICE).map((result) => quantile(samplesOf(result), P50));
  const transports = page.getByRole("region", { name: "Transports", exact: true });
  await expect(transports).toContainText(`takes ${formatNs(Math.min(...medians))} over`);
  await expect(transports).toContainText(`${formatNs(Math.max(...medians))} over`);
  await expect(transports).toContainText(`transports on ${report.machine.slug}`);
});

test("open regressions stand first, each with its case, its commit and where it was seen", async ({
  page,
  report,
}) => {
  const { series } = await (await page.request.get(`/api/v1/projects/${report.project}/series`)).json();
  const [seen] = series.filter(({ latest }: { latest: unknown }) => latest !== null);
  const regression = aRegression({ series_count: 1, machines: [report.machine.slug] });
  const culprit = { commit: { ...aCommit(), sha: "b".repeat(40) }, probability: 0.97, measured: true };
  await page.route(/\/regressions(\?|$)/, (route) =>
    route.fulfill({ json: { regressions: [regression], next_after: null } }),
  );
  await page.route(/\/regressions\/9$/, (route) =>
    route.fulfill({
      json: {
        regression,
        change_points: [aChangePoint({ series_id: seen.series_id })],
        culprits: [culprit],
      },
    }),
  );
  await page.goto(overviewPath(report));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    `One series got slower since bbbbbbb, on ${report.machine.slug}, which is otherwise steady. It is the commit.`,
  );
  const row = page.getByRole("region", { name: "Open regressions", exact: true }).getByRole("row").nth(1);
  for (const text of ["+20 %", "4.02 to 4.83 µs", seen.transport.slug, "p50", report.machine.slug]) {
    await expect(row).toContainText(text);
  }
  await expect(row).toContainText(`bbbbbbb ${aCommit().subject}`);
  await row.getByRole("link", { name: "+20 %" }).click();
  await expect(page).toHaveURL(/\/regressions\/9$/);
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
  await page.route(/\/api\/v1\/(runs|charts)\//, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  const arrived = page.waitForResponse(/\/api\/v1\/charts\/line/);
  await page.goto(overviewPath(report));
  const link = page.locator("a.grid-cell").first();
  const before = await link.boundingBox();
  await arrived;
  await expect(page.getByText(/^Canaries/)).toBeVisible();
  expect(await link.boundingBox()).toEqual(before);
});
