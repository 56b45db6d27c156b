/** Pages for choosing a transport: size sweep, topology, message sizes and published figures. */
import { formatNs } from "../src/lib/units";
import { inspect, inspectAt, onEveryScreen } from "./support/inspect";
import { measuredResults, P50, quantile, samplesOf, USUAL_CASES } from "./support/report";
import { expect, overviewPath, test } from "./support/test";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("choose a transport: headline, placement, hidden lines, crossovers and link", async ({
  page,
  report,
}) => {
  await page.goto(overviewPath(report));
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByText("Choose").click();
  await pages.getByRole("link", { name: "Size sweep" }).click();

  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toContainText(/is fastest on|The fastest transport on/);
  await expect(heading).toContainText(report.machine.slug);
  const results = measuredResults(report, USUAL_CASES);
  const least = Math.min(...results.map(({ case: kase }) => kase.message_bytes));
  const medians = results
    .filter(({ case: kase }) => kase.message_bytes === least)
    .map((result) => ({ slug: result.transport.slug, p50: quantile(samplesOf(result), P50) }))
    .sort((a, b) => a.p50 - b.p50);
  const equals = medians.filter(({ p50 }) => p50 <= (medians[0]?.p50 ?? 0) * 1.03);
  await expect(heading).toContainText(new RegExp(equals.map(({ slug }) => slug).join("|")));

  const sweep = page.getByRole("region", { name: /^Latency \(p50\) by message size/ });
  const lines = sweep.getByRole("group", { name: "Lines" });
  const count = await lines.getByRole("button").count();
  expect(count).toBe(new Set(results.map(({ transport }) => transport.slug)).size);

  await page.getByRole("group", { name: "Placement" }).getByRole("button", { name: "across CPUs" }).click();
  await expect(page).toHaveURL(/placement=cross-cpu/);
  await expect(page.locator(".lede").first()).toContainText("across CPUs");
  await page.getByRole("group", { name: "Placement" }).getByRole("button", { name: "same CPU" }).click();
  await expect(lines.getByRole("button")).toHaveCount(count);

  const tcp = lines.getByRole("button", { name: "tcp", exact: true });
  await tcp.click();
  await expect(page).toHaveURL(/hidden=tcp/);
  await expect(tcp).toHaveAttribute("aria-pressed", "false");
  await expect(page.getByText(/^Hidden, not ranked: tcp\.$/)).toBeVisible();
  await tcp.click();
  await expect(page).not.toHaveURL(/hidden=/);

  await sweep.getByRole("button", { name: "Table" }).click();
  await expect(sweep.getByRole("row").nth(1)).toContainText(formatNs(medians[0]?.p50 ?? 0));
  const crossovers = page.getByRole("region", { name: "Crossovers", exact: true });
  await crossovers.getByRole("button", { name: "Two lines" }).click();
  await expect(page).toHaveURL(/pair=/);
  await expect(crossovers.getByLabel("First line")).toBeVisible();
  // Depends on the measurement: the page shows either a note or a table.
  await expect(crossovers.getByText(/do not cross/).or(crossovers.getByRole("table"))).toBeVisible();

  await sweep.getByRole("button", { name: "Link" }).click();
  await expect(sweep.getByRole("button", { name: "Copied" })).toBeVisible();
  await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
  await expect(page).toHaveURL(/pair=/);
  await expect(page.getByRole("region", { name: /by message size/ }).getByRole("table")).toBeVisible();
});

test("the metric is in the address, and going back restores it", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/sweep?tables=sweep`);
  await page.getByRole("group", { name: "Metric" }).getByRole("button", { name: "p99", exact: true }).click();
  await expect(page).toHaveURL(/show=p99/);
  await expect(page.getByText("crossovers are estimated only for p50.")).toBeVisible();
  await page.getByRole("row").nth(1).getByRole("link").click();
  await expect(page.getByRole("complementary", { name: "Pinned point" })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/show=p99/);
});

test("topology has a chart for each scenario, or a note if it is not measured", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/topology`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(report.machine.slug);
  await expect(page.getByRole("heading", { name: "Route: one sender to N receivers" })).toBeVisible();
  await expect(page.locator(".chart .curve").first()).toBeVisible();
  await page.getByRole("group", { name: "Time per" }).getByRole("button", { name: "Operation" }).click();
  await expect(page).toHaveURL(/time=operation/);
});

test("message sizes: nine in ten are small, with the crossovers here", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/sizes`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("90 % of messages are under 65 bytes.");
  await expect(page.locator(".answers")).toContainText(report.machine.slug);
  const traffic = page.getByRole("region", { name: "Message sizes, n = 37,573" });
  await traffic.getByRole("button", { name: "Table" }).click();
  const counts = await traffic.getByRole("row").locator("td:nth-child(3)").allInnerTexts();
  const total = counts.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0);
  expect(total).toBe(37_573);
});

test("published tables are unchanged, with reasons why they are not comparable", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/reference`);
  const mach = page.getByRole("region", { name: "Mach messages and FIFOs on two Macs", exact: true });
  await expect(mach.getByRole("heading", { name: "Not comparable because" })).toBeVisible();
  const row = mach.getByRole("row").filter({ has: page.getByText("7 MiB", { exact: true }) });
  await expect(row).toContainText("15,144");
  await expect(mach.getByText("roundtrip run --preset chromium-mach")).toBeVisible();
  await page.getByRole("group", { name: "Table set" }).getByRole("button", { name: "fair" }).click();
  await expect(page).toHaveURL(/set=fair/);
});

test("a publication's question is answered by our measurements", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/reference`);
  const mach = page.getByRole("region", { name: "Mach messages and FIFOs on two Macs", exact: true });
  await mach.getByRole("link", { name: "Would Chromium decide the same today?" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    // On a busy machine, the times may not decide it.
    new RegExp(`^(Yes|No|Inconclusive): .*p98 .* \\(two processes .*, ${report.machine.slug}\\)\\.$`),
  );
  const ranking = page.getByRole("region", { name: /^Two processes on/ }).first();
  await expect(ranking.getByRole("row", { name: /^pipe / })).toBeVisible();
  await ranking.getByRole("button", { name: "Table" }).click();
  await expect(page).toHaveURL(/tables=two-processes-on/);

  await page.goto(`${overviewPath(report)}/reference/node-child-process-framing`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Not measured yet");
  await expect(page.getByText("roundtrip run --preset node-framing")).toBeVisible();
});

onEveryScreen(() => {
  test("size sweep, topology, sizes and reference", async ({ page, report }) => {
    const overview = overviewPath(report);
    const [curve, table] = [page.locator(".chart .curve").first(), page.getByRole("table").first()];
    await inspectAt(page, `${overview}/sweep`, curve);
    await inspectAt(page, `${overview}/sweep?tables=sweep&show=p99`, table);
    await inspectAt(page, `${overview}/topology`, curve);
    await page.goto(`${overview}/sizes`);
    await expect(page.locator(".cumulative-line")).toBeVisible();
    await expect(curve).toBeVisible();
    await inspect(page);
    await inspectAt(page, `${overview}/reference`, curve);
    await inspectAt(page, `${overview}/reference/chromium-mach-vs-fifo`, table);
  });
});
