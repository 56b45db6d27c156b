/**
 * Choosing a transport: the size sweep answers which is the fastest up to which size, the topology page what more receivers
 * cost, the sizes page what real traffic is like, and the reference page what others have published.
 */
import { formatNs } from "../src/lib/units";
import { inspect, SCREENS } from "./support/inspect";
import { measuredResults, NO_PARAMETERS, P50, quantile, samplesOf } from "./support/report";
import { expect, overviewPath, test } from "./support/test";

const CASE = { scenario: "roundtrip", mode: "2proc", placement: "same-cpu", ...NO_PARAMETERS };

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("choose a transport: read the answer, switch the placement, hide a line, see the crossings, copy the link", async ({
  page,
  report,
}) => {
  await page.goto(overviewPath(report));
  await page.getByRole("navigation", { name: "Pages" }).getByText("More").click();
  await page.getByRole("link", { name: "Size sweep" }).click();

  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toContainText(/is fastest on/);
  await expect(heading).toContainText(report.machine.slug);
  const results = measuredResults(report, CASE);
  const least = Math.min(...results.map(({ case: kase }) => kase.message_bytes));
  const medians = results
    .filter(({ case: kase }) => kase.message_bytes === least)
    .map((result) => ({ slug: result.transport.slug, p50: quantile(samplesOf(result), P50) }))
    .sort((a, b) => a.p50 - b.p50);
  const equals = medians.filter(({ p50 }) => p50 <= (medians[0]?.p50 ?? 0) * 1.03);
  await expect(heading).toContainText(new RegExp(equals.map(({ slug }) => slug).join("|")));

  const sweep = page.getByRole("region", { name: /^Latency \(p50\) against message size/ });
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
  await expect(page.getByText(/^Hidden, so they take no part in this answer: tcp\.$/)).toBeVisible();
  await tcp.click();
  await expect(page).not.toHaveURL(/hidden=/);

  await sweep.getByRole("button", { name: "Table" }).click();
  await expect(sweep.getByRole("row").nth(1)).toContainText(formatNs(medians[0]?.p50 ?? 0));
  const crossings = page.getByRole("region", { name: "Crossings", exact: true });
  await crossings.getByRole("button", { name: "of two lines" }).click();
  await expect(page).toHaveURL(/pair=/);
  await expect(crossings.getByLabel("Of")).toBeVisible();
  // Whether these two cross is for the measurement to say; that one of both is said is for the page.
  await expect(crossings.getByText(/do not cross/).or(crossings.getByRole("table"))).toBeVisible();

  await sweep.getByRole("button", { name: "Link" }).click();
  await expect(sweep.getByRole("button", { name: "Copied" })).toBeVisible();
  await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
  await expect(page).toHaveURL(/pair=/);
  await expect(page.getByRole("region", { name: /against message size/ }).getByRole("table")).toBeVisible();
});

test("another figure is in the address, and Back from a point's page brings it back", async ({
  page,
  report,
}) => {
  await page.goto(`${overviewPath(report)}/sweep?tables=sweep`);
  await page.getByRole("group", { name: "Figure" }).getByRole("button", { name: "p99", exact: true }).click();
  await expect(page).toHaveURL(/show=p99/);
  await expect(page.getByText("Crossings are of p50: choose it above to see them.")).toBeVisible();
  await page.getByRole("row").nth(1).getByRole("link").click();
  await expect(page.getByRole("complementary", { name: "Pinned point" })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/show=p99/);
});

test("what more receivers cost has a panel for each scenario, and says where it was not measured", async ({
  page,
  report,
}) => {
  await page.goto(`${overviewPath(report)}/topology`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(report.machine.slug);
  await expect(page.getByRole("heading", { name: "Route: one sender to N receivers" })).toBeVisible();
  await expect(page.locator(".chart .curve").first()).toBeVisible();
  await page.getByRole("group", { name: "Time of" }).getByRole("button", { name: "an operation" }).click();
  await expect(page).toHaveURL(/time=operation/);
});

test("nine in ten of a browser's messages are small, and what that means here is said", async ({
  page,
  report,
}) => {
  await page.goto(`${overviewPath(report)}/sizes`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("90 % of messages are under 65 bytes.");
  await expect(page.locator(".meeting")).toContainText(report.machine.slug);
  const traffic = page.getByRole("region", { name: "Sizes of 37,573 messages" });
  await traffic.getByRole("button", { name: "Table" }).click();
  const counts = await traffic.getByRole("row").locator("td:nth-child(3)").allInnerTexts();
  const total = counts.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0);
  expect(total).toBe(37_573);
});

test("published tables stand as printed, with what is not comparable in words", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/reference`);
  const mach = page.getByRole("region", { name: "Mach messages and FIFOs on two Macs", exact: true });
  await expect(mach.getByRole("heading", { name: "What is not comparable with ours" })).toBeVisible();
  const row = mach.getByRole("row").filter({ has: page.getByText("7 MiB", { exact: true }) });
  await expect(row).toContainText("15,144");
  await expect(mach.getByText("roundtrip run --preset chromium-mach")).toBeVisible();
  await page.getByRole("group", { name: "Set of tables" }).getByRole("button", { name: "fair" }).click();
  await expect(page).toHaveURL(/set=fair/);
});

test("a publication's question is answered in the first sentence, by what was measured here", async ({
  page,
  report,
}) => {
  await page.goto(`${overviewPath(report)}/reference`);
  const mach = page.getByRole("region", { name: "Mach messages and FIFOs on two Macs", exact: true });
  await mach.getByRole("link", { name: "Would Chromium decide the same today?" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    new RegExp(`^(Yes|No): .*, between two processes .* of ${report.machine.slug}\\.$`),
  );
  const ranking = page.getByRole("region", { name: /^Two processes on/ }).first();
  await expect(ranking.getByRole("row", { name: /^pipe / })).toBeVisible();
  await ranking.getByRole("button", { name: "Table" }).click();
  await expect(page).toHaveURL(/tables=two-processes-on/);

  await page.goto(`${overviewPath(report)}/reference/node-child-process-framing`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(
    "Nothing that answers this was measured",
  );
  await expect(page.getByText("roundtrip run --preset node-framing")).toBeVisible();
});

for (const { scheme, width } of SCREENS) {
  test.describe(`${scheme}, ${width} px`, () => {
    test.use({ colorScheme: scheme, viewport: { width, height: 900 } });

    test("size sweep, topology, sizes and reference", async ({ page, report }) => {
      await page.goto(`${overviewPath(report)}/sweep`);
      await expect(page.locator(".chart .curve").first()).toBeVisible();
      await inspect(page);

      await page.goto(`${overviewPath(report)}/sweep?tables=sweep&show=p99`);
      await expect(page.getByRole("table").first()).toBeVisible();
      await inspect(page);

      await page.goto(`${overviewPath(report)}/topology`);
      await expect(page.locator(".chart .curve").first()).toBeVisible();
      await inspect(page);

      await page.goto(`${overviewPath(report)}/sizes`);
      await expect(page.locator(".cumulative-line")).toBeVisible();
      await expect(page.locator(".chart .curve").first()).toBeVisible();
      await inspect(page);

      await page.goto(`${overviewPath(report)}/reference`);
      await expect(page.locator(".chart .curve").first()).toBeVisible();
      await inspect(page);

      await page.goto(`${overviewPath(report)}/reference/chromium-mach-vs-fifo`);
      await expect(page.getByRole("table").first()).toBeVisible();
      await inspect(page);
    });
  });
}
