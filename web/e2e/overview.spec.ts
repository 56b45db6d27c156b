/** The overview shows the measured values. */

import type { SeriesSummary } from "@/api/types";
import { aChangePoint, aCommit, aRegression } from "@/test/fixtures";
import { formatNs } from "../src/lib/units";
import { measuredResults, P50, quantile, samplesOf, USUAL_CASES } from "./support/report";
import { expect, overviewPath, rowNamed, test } from "./support/test";

const SLICE = { ...USUAL_CASES, message_bytes: 1024 };

test("the root address redirects to the only project", async ({ page, report }) => {
  // Other journeys create projects at the same time.
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
    await expect(rowNamed(page, result.transport.slug)).toContainText(
      formatNs(quantile(samplesOf(result), P50)),
    );
  }
});

test("the headline reports regressions, and links to the error rates", async ({ page, report }) => {
  // Other tests may have uploaded another commit.
  const { commit_count } = await (await page.request.get(`/api/v1/projects/${report.project}`)).json();
  await page.goto(overviewPath(report));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    commit_count === 1 ? "First commit measured" : "No regressions. The machine is stable.",
  );
  await expect(page.getByRole("main").getByRole("link", { name: "Error rates" })).toHaveAttribute(
    "href",
    /\/error-rates$/,
  );
});

test("open regressions come first, with case, commit and machine", async ({ page, report }) => {
  const { series } = await (await page.request.get(`/api/v1/projects/${report.project}/series`)).json();
  // Imported series can have another unit.
  const [seen] = series.filter(
    ({ latest, case: kase }: SeriesSummary) => latest !== null && kase.benchmark == null,
  );
  const regression = aRegression({ series_count: 1, machines: [report.machine.slug] });
  const culprit = {
    commit: { ...aCommit(), sha: "b".repeat(40) },
    probability: 0.97,
    measured: true,
    names: [],
  };
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
  await page.route(/\/regressions\/9\/timeline$/, (route) => route.fulfill({ json: { entries: [] } }));
  await page.goto(overviewPath(report));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    `1 series slower since bbbbbbb on ${report.machine.slug}. Likely cause: the commit.`,
  );
  const row = page.getByRole("region", { name: "Regressions", exact: true }).getByRole("row").nth(1);
  for (const text of ["+20 %", seen.transport.slug, report.machine.slug]) {
    await expect(row).toContainText(text);
  }
  await expect(row).toContainText("bbbbbbb");
  await row.getByRole("link", { name: "+20 %" }).click();
  await expect(page).toHaveURL(/\/regressions\/9$/);
});

test("latency by message size names the fastest transport, and links to the size sweep", async ({
  page,
  report,
}) => {
  await page.goto(overviewPath(report));
  const sweep = page.getByRole("region", { name: "Latency by message size", exact: true });
  await expect(sweep.locator(".ranking")).toContainText("is fastest");
  const slugs = new Set(measuredResults(report, USUAL_CASES).map(({ transport }) => transport.slug));
  await expect(sweep.locator(".chart .curve").first()).toBeVisible();
  const lines = sweep.getByRole("group", { name: "Lines" }).getByRole("button");
  await expect(lines).toHaveCount(slugs.size);
  await lines.first().click();
  await expect(page).toHaveURL(/hidden=/);
  await expect(lines.first()).toHaveAttribute("aria-pressed", "false");
  await sweep.getByRole("link", { name: "Size sweep" }).click();
  await expect(page).toHaveURL(new RegExp(`/sweep\\?.*machine=${report.machine.slug}`));
  await expect(page.locator(".chart .curve").first()).toBeVisible();
});

test("another message size can be selected, and is in the address", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await page.getByRole("combobox", { name: "Message size" }).selectOption("65536");
  await expect(page).toHaveURL(/bytes=65536/);
  const [result] = measuredResults(report, { ...SLICE, message_bytes: 65_536 });
  if (result === undefined) throw new Error("The report has no 64 KiB round trip on one processor.");
  await expect(rowNamed(page, result.transport.slug)).toContainText(
    formatNs(quantile(samplesOf(result), P50)),
  );
});

test("the machine and the run are listed", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await expect(page.getByRole("rowheader", { name: report.machine.slug, exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: report.commit.sha.slice(0, 7) }).first()).toBeVisible();
});

test("the layout does not shift while data loads", async ({ page, report }) => {
  // Delays the last responses: a link that moves meanwhile is easily missed.
  await page.route(/\/api\/v1\/(runs|charts)\//, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  const arrived = page.waitForResponse(/\/api\/v1\/charts\/line/);
  await page.goto(overviewPath(report));
  const link = page.locator("a.grid-cell").first();
  const before = await link.boundingBox();
  await arrived;
  await expect(page.getByRole("columnheader", { name: "Canaries" })).toBeVisible();
  expect(await link.boundingBox()).toEqual(before);
});
