/** A series' page shows the measured distribution, repetitions and transports. */
import { formatCount, formatNs } from "../src/lib/units";
import type { Report } from "./support/report";
import { measuredResults, P50, P98, P99, quantile, resultOf, samplesOf, USUAL_CASES } from "./support/report";
import { csvRow, downloaded, expect, openSeries, rowNamed, test } from "./support/test";

/** The samples of the series that most tests open. */
const samplesOfPipe = (report: Report) =>
  samplesOf(resultOf(report, "pipe", { ...USUAL_CASES, message_bytes: 1024 }));

test("headline and pinned point show the percentiles of all samples", async ({ page, report }) => {
  await openSeries(page, report, "pipe");
  const samples = samplesOfPipe(report);
  const [p50, p99] = [quantile(samples, P50), quantile(samples, P99)];
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    `1 KiB messages: p50 ${formatNs(p50)}, p99 ${formatNs(p99)}`,
  );
  const pinned = page.getByRole("complementary", { name: "Pinned point" });
  await expect(pinned).toContainText(report.commit.subject);
  for (const value of [p50, quantile(samples, P98), p99, samples.at(-1) ?? 0]) {
    await expect(pinned).toContainText(formatNs(value));
  }
});

test("the distribution contains every operation once", async ({ page, report }) => {
  await openSeries(page, report, "pipe");
  const { length } = samplesOfPipe(report);
  const distribution = page.getByRole("region", { name: /^Distribution at [0-9a-f]{7}$/ });
  await expect(distribution).toContainText(`${formatCount(length)} operations`);
  await expect(distribution.getByRole("img", { name: /^Density/ })).toBeVisible();
  await expect(distribution.getByRole("img", { name: /each repetition/ })).toBeVisible();
  await distribution.getByRole("button", { name: "Table" }).click();
  await expect(page).toHaveURL(/tables=distribution/);
  const counts = await distribution.getByRole("row").locator("td:nth-child(3)").allInnerTexts();
  const total = counts.reduce((sum, count) => sum + Number(count.replaceAll(",", "")), 0);
  expect(total).toBe(length);
});

test("the size sweep has a line for each measured transport, and the medians in its table", async ({
  page,
  report,
}) => {
  await openSeries(page, report, "pipe");
  const results = measuredResults(report, USUAL_CASES);
  const transports = new Set(results.map(({ transport }) => transport.slug));
  const sweep = page.getByRole("region", { name: /by message size at [0-9a-f]{7}$/ });
  await expect(sweep.locator(".chart .curve")).toHaveCount(transports.size);
  for (const transport of transports) {
    await expect(sweep.locator("text").filter({ hasText: new RegExp(`^${transport}$`) })).toHaveCount(1);
  }
  await sweep.getByRole("button", { name: "Table" }).click();
  for (const result of results) {
    await expect(sweep.getByRole("table")).toContainText(formatNs(quantile(samplesOf(result), P50)));
  }
});

test("the trend's CSV has the exact nanoseconds", async ({ page, report }) => {
  await openSeries(page, report, "pipe");
  const samples = samplesOfPipe(report);
  const trend = page.getByRole("region", { name: "Latency", exact: true });
  const { content } = await downloaded(page, trend.getByRole("link", { name: "CSV" }));
  const row = csvRow(content, report.run_id);
  expect(Number(row.p50_ns)).toBe(quantile(samples, P50));
  expect(Number(row.p99_ns)).toBe(quantile(samples, P99));
});

test("the address stores and restores the view", async ({ page, report }) => {
  await openSeries(page, report, "pipe");
  await page.getByRole("button", { name: "p99.9" }).first().click();
  await page.getByRole("button", { name: "Time", exact: true }).click();
  await expect(page).toHaveURL(/show=p999/);
  await page.reload();
  await expect(page.getByRole("button", { name: "p99.9" }).first()).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("button", { name: "Time", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
});

test("the page of a stream shows throughput", async ({ page, report }) => {
  await page.goto(`/${report.project}?scenario=stream`);
  await rowNamed(page, "pipe").getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/writes, .+ total: [\d.,]+ [KMG]iB\/s/);
  await expect(page.getByRole("region", { name: "Throughput", exact: true })).toBeVisible();
});

test("distributions end with the slowest operation", async ({ page, report }) => {
  await openSeries(page, report, "pipe");
  const slowest = samplesOfPipe(report).at(-1) ?? 0;
  await page.goto(`${new URL(page.url()).pathname}?tables=distributions.distribution&reach=all`);
  const shares = page.getByRole("region", { name: "Distribution over commits", exact: true });
  await expect(shares.getByRole("table")).toContainText(`#${report.commit.first_parent_ordinal}`);
  const distribution = page.getByRole("region", { name: /^Distribution at [0-9a-f]{7}$/ });
  await expect(distribution.getByRole("table")).toBeVisible();
  const { content } = await downloaded(page, distribution.getByRole("button", { name: "CSV" }));
  const lines = content.toString().trimEnd().split("\r\n");
  // Bins are an eighth of an octave wide: the last one ends just above the maximum.
  const end_ns = Number(lines.at(-1)?.split(",")[1]);
  expect(end_ns).toBeGreaterThanOrEqual(slowest);
  expect(end_ns).toBeLessThanOrEqual(slowest * 2 ** (1 / 8) + 1);
});

test("a chart can be saved and copied as a picture, and embedded", async ({ page, report }) => {
  await openSeries(page, report, "pipe");
  const trend = page.getByRole("region", { name: "Latency", exact: true });
  for (const [kind, begins] of [
    ["SVG", "<svg"],
    ["PNG", "\u0089PNG"],
  ] as const) {
    const { content } = await downloaded(page, trend.getByRole("button", { name: kind }));
    expect(content.toString("latin1").startsWith(begins)).toBe(true);
  }
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await trend.getByRole("button", { name: "Copy", exact: true }).click();
  await expect(trend.getByText("Copied")).toBeVisible();
  const types = await page.evaluate(async () =>
    (await navigator.clipboard.read()).flatMap(({ types }) => types),
  );
  expect(types).toContain("image/png");
  await page.goto(`${new URL(page.url()).pathname}?embed=trend`);
  await expect(trend).toBeVisible();
  await expect(page.getByRole("navigation")).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toBeHidden();
});
