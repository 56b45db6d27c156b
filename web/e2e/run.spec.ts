/** A run's page shows every result of the report. */
import type { Page } from "@playwright/test";
import { formatBytes, formatNs } from "../src/lib/units";
import { modeName } from "../src/lib/vocabulary";
import { measuredResults, P50, P99, quantile, samplesOf } from "./support/report";
import { downloaded, expect, test } from "./support/test";

test.beforeEach(async ({ page, report }) => {
  await page.goto(`/${report.project}/runs/${report.run_id}?group=none&columns=transport.size.mode`);
});

const roundTrips = (page: Page) =>
  page.getByRole("region", { name: "Results, round trip, table" }).getByRole("table");

test("the table has every measured round trip with its percentiles", async ({ page, report }) => {
  const results = measuredResults(report, { scenario: "roundtrip" });
  const table = roundTrips(page);
  await expect(table.locator("tbody tr")).toHaveCount(results.length);
  const columns = await table.locator("thead th").allInnerTexts();
  const rows = await table
    .locator("tbody tr")
    .evaluateAll((elements) =>
      elements.map((element) => [...element.children].map((cell) => cell.textContent?.trim() ?? "")),
    );
  const shown = rows.map((cells) =>
    ["Transport", "Mode", "Size", "p50", "p99"]
      .map((column) => cells[columns.indexOf(column)] ?? `no column ${column}`)
      .join(" | "),
  );
  for (const result of results) {
    const samples = samplesOf(result);
    const expected = [
      result.transport.slug,
      modeName(result.case.mode),
      formatBytes(result.case.message_bytes),
      formatNs(quantile(samples, P50)),
      formatNs(quantile(samples, P99)),
    ];
    expect(shown).toContain(expected.join(" | "));
  }
});

test("a size map opens the page, and results are listed by transport", async ({ page, report }) => {
  await page.goto(`/${report.project}/runs/${report.run_id}`);
  const map = page.getByRole("region", { name: "p50 by transport and size, table" });
  await expect(map.getByRole("rowheader", { name: "pipe", exact: true })).toBeVisible();
  await expect(roundTrips(page).locator("[data-row]")).toHaveCount(0);
  await roundTrips(page).getByRole("button", { name: "pipe", exact: true }).click();
  await expect(page).toHaveURL(/toggled=roundtrip-pipe/);
  await expect(roundTrips(page).locator("[data-row]")).not.toHaveCount(0);
});

test("the table can be filtered by transport, and the address keeps the filter", async ({ page, report }) => {
  await page.getByRole("searchbox", { name: "Transport" }).fill("tcp");
  await expect(page).toHaveURL(/transport=tcp/);
  const results = measuredResults(report, { scenario: "roundtrip" }).filter(
    ({ transport }) => transport.slug === "tcp",
  );
  await expect(roundTrips(page).locator("tbody tr")).toHaveCount(results.length);
  await page.reload();
  await expect(page.getByRole("searchbox", { name: "Transport" })).toHaveValue("tcp");
});

test("the uploaded report can be downloaded unchanged", async ({ page, report }) => {
  const { content } = await downloaded(page, page.getByRole("link", { name: "Download JSON" }));
  expect(JSON.parse(content.toString())).toEqual(report);
});

test("commit, machine facts and reproduction commands are shown", async ({ page, report }) => {
  await expect(page.getByText(report.commit.sha, { exact: true }).first()).toBeVisible();
  await expect(page.getByText(`roundtrip run --preset ${report.suite.preset}`)).toBeVisible();
  for (const name of Object.keys(report.environment.stable)) {
    await expect(page.getByText(name, { exact: true })).toBeVisible();
  }
});
