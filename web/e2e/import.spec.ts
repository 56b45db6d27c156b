/** Imported results: shown with their own names and their original file. */
import type { Page } from "@playwright/test";
import { formatNs } from "../src/lib/units";
import { type Imported, importGolden } from "./support/import";
import { inspect, inspectAt, onEveryScreen } from "./support/inspect";
import { P50, quantile } from "./support/report";
import { csvRow, downloaded, expect, overviewPath, rowNamed, test } from "./support/test";

const BENCHMARK = "PipeRoundTrip/64/real_time";
const STATED = "http_req_duration";
const OPERATIONS = 1000;
const NS_PER_MS = 1e6;
const NS_PER: Record<string, number> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

let google: Imported;
let k6: Imported;

test.beforeAll(({ baseURL }) => {
  google = importGolden("google-benchmark/repetitions.json", baseURL ?? "");
  k6 = importGolden("k6/summary-export.json", baseURL ?? "");
});

test("an imported run shows its benchmarks and original file, and no made-up values", async ({
  page,
  report,
}) => {
  await page.goto(`${overviewPath(report)}/runs/${google.run_id}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/2 benchmarks for .+ Google Benchmark$/);
  const samples = samplesOfGoogle(google.file, BENCHMARK);
  const row = page
    .getByRole("region", { name: /^Measured by Google Benchmark, time of 1,000 operations$/ })
    .getByRole("row")
    .filter({ hasText: BENCHMARK });
  for (const value of [quantile(samples, P50), samples[0] ?? 0, samples.at(-1) ?? 0]) {
    await expect(row).toContainText(formatNs(value));
  }
  await expectNothingMadeUp(page);
  await expect(page.getByRole("heading", { name: "Canaries" })).toHaveCount(0);
  await expect(page.getByText("roundtrip run")).toHaveCount(0);

  const original = await downloaded(page, page.getByRole("link", { name: "Download original" }));
  expect(original.name).toBe("repetitions.json");
  expect(original.content.equals(google.file)).toBe(true);
});

test("a benchmark with samples has a series, without made-up values", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/runs/${google.run_id}`);
  await page.getByRole("link", { name: BENCHMARK, exact: true }).click();
  const p50 = formatNs(quantile(samplesOfGoogle(google.file, BENCHMARK), P50));
  await expect(page.getByRole("heading", { level: 1 })).toContainText(`${BENCHMARK}: p50 ${p50}`);
  await expect(page).toHaveTitle(new RegExp(`Google Benchmark: ${BENCHMARK}`));
  await expect(page.getByRole("slider", { name: /^Time of 1,000 operations by commits/ })).toBeVisible();
  await expect(page.getByRole("region", { name: /^Distribution at/ })).toContainText(
    "5 samples in 5 repetitions",
  );
  await expect(page.getByRole("complementary", { name: "Pinned point" })).toContainText("not stated");
  await expect(page.getByText("by message size")).toHaveCount(0);
  await expectNothingMadeUp(page);
});

test("stated values are separate, name their tool, and can be downloaded", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/runs/${k6.run_id}`);
  const { med, max } = JSON.parse(k6.file.toString()).metrics[STATED];
  const table = page.getByRole("region", { name: "Stated by k6, without samples", exact: true });
  const row = table.getByRole("row").filter({ has: page.getByRole("link", { name: STATED, exact: true }) });
  await expect(row).toContainText(formatNs(Math.round(med * NS_PER_MS)));
  await expect(row).toContainText(formatNs(Math.round(max * NS_PER_MS)));
  await expect(page.getByRole("region", { name: /^Measured by/ })).toHaveCount(0);

  await row.getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(
    `${STATED}: median ${formatNs(Math.round(med * NS_PER_MS))}`,
  );
  await expect(
    page.getByText("Median stated by k6, without samples. Two values are never compared"),
  ).toBeVisible();
  const chart = page.getByRole("region", { name: "Stated median", exact: true });
  await expect(chart.getByRole("slider")).toHaveAttribute("aria-valuetext", /^commit \d+, median /);
  const { content } = await downloaded(page, chart.getByRole("button", { name: "CSV" }));
  expect(Number(csvRow(content, k6.run_id).center_ns)).toBe(Math.round(med * NS_PER_MS));
});

test("the overview lists imports by tool, after the transports", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await expect(page.getByRole("region", { name: "Transports", exact: true })).toBeVisible();
  await expect(page.locator(".lede").first()).toContainText("last run ");
  await expect(page.getByLabel("Scenario").getByRole("option", { name: "benchmark" })).toHaveCount(0);
  await expect(
    page.getByRole("combobox", { name: "Message size" }).getByRole("option", { name: "0 B" }),
  ).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Machines", exact: true })).not.toContainText("no data");
  const imported = page.getByRole("region", { name: "Imported", exact: true });
  const row = (name: string) => rowNamed(page, name, imported);
  const samples = samplesOfGoogle(google.file, BENCHMARK);
  await expect(row(BENCHMARK)).toContainText(formatNs(quantile(samples, P50)));
  await expect(row(STATED)).toContainText("median, stated");
  await row(STATED).getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(STATED);
});

onEveryScreen(() => {
  test("overview, runs and series", async ({ page, report }) => {
    await inspectAt(page, overviewPath(report), page.getByRole("heading", { name: "Imported" }));
    for (const [imported, benchmark] of [
      [google, BENCHMARK],
      [k6, STATED],
    ] as const) {
      const hint = page.getByRole("heading", { name: "Import more" });
      await inspectAt(page, `${overviewPath(report)}/runs/${imported.run_id}`, hint);
      await page.getByRole("link", { name: benchmark, exact: true }).click();
      await expect(page.getByRole("heading", { name: "File", exact: true })).toBeVisible();
      await inspect(page);
    }
  });
});

/** Checks for placeholder values where the file has none. */
async function expectNothingMadeUp(page: Page): Promise<void> {
  const text = await page.getByRole("main").innerText();
  for (const word of [/\b0 of 0\b/, /\b0 B\b/, /\bunknown\b/, /\b2proc\b/, /\b0 disturbed\b/]) {
    expect(text).not.toMatch(word);
  }
}

/** The times of a benchmark's repetitions for 1,000 operations, ascending, read independently. */
function samplesOfGoogle(file: Buffer, benchmark: string): number[] {
  type Entry = { run_type: string; run_name: string; real_time: number; time_unit: string };
  const { benchmarks }: { benchmarks: Entry[] } = JSON.parse(file.toString());
  return benchmarks
    .filter(({ run_type, run_name }) => run_type === "iteration" && run_name === benchmark)
    .map(({ real_time, time_unit }) => Math.round(real_time * (NS_PER[time_unit] ?? 0) * OPERATIONS))
    .sort((a, b) => a - b);
}
