/** A static site: the same pages as on a server, without one. */
import { openOptions } from "./support/account";
import { reportOfTimes } from "./support/import";
import { inspectAt, onEveryScreen } from "./support/inspect";
import {
  asAnotherRun,
  childOf,
  measuredResults,
  type Report,
  readReport,
  USUAL_CASES,
} from "./support/report";
import { siteTest } from "./support/site";
import { expect, rowNamed } from "./support/test";

const PROJECT = "imported";
const SLOWER = "pipes --copies 2";

/** Twelve times close to a value, in seconds. */
const around = (seconds: number) => Array.from({ length: 12 }, (_, index) => seconds * (1 + index / 1000));

/** A measured commit and its child with the same results; an imported one and a slower child. */
function reports(): Report[] {
  const measured = { ...readReport(), work_tree_modified: false };
  const imported = {
    ...reportOfTimes({ pipes: around(0.1), [SLOWER]: around(0.2) }),
    project: PROJECT,
    work_tree_modified: false,
  };
  const times = { pipes: around(0.1), [SLOWER]: around(0.25) };
  const slower = { ...reportOfTimes(times), work_tree_modified: false };
  return [
    measured,
    childOf(measured, asAnotherRun(measured), "Do the same"),
    imported,
    { ...childOf(imported, slower, "Copy every message twice"), project: PROJECT },
  ];
}

const test = siteTest(reports);

test("the overview leads to a series with its distribution", async ({ page, report }) => {
  await page.goto(`#/${report.project}`);
  await openOptions(page);
  await expect(page.getByText("Static site")).toBeVisible();
  await page.keyboard.press("Escape");
  const [result] = measuredResults(report, { ...USUAL_CASES, message_bytes: 1024 });
  await rowNamed(page, result?.transport.slug ?? "")
    .getByRole("link")
    .first()
    .click();
  await expect(page.getByRole("slider", { name: /by commits/ }).first()).toBeVisible();
  await expect(page.getByRole("complementary", { name: "Pinned point" })).toBeVisible();
  await expect(page.getByRole("region", { name: /^Distribution at/ })).toBeVisible();
  // A link to the page opens the same page.
  await page.reload();
  await expect(page.getByRole("region", { name: /^Distribution at/ })).toBeVisible();
});

test("a search narrows the series", async ({ page, report }) => {
  await page.goto(`#/${report.project}/explore`);
  const search = page.getByRole("searchbox", { name: "Search" });
  await search.fill("transport:pipe size:64");
  await search.press("Enter");
  await expect(page).toHaveURL(/#\/.+explore\?.*pipe/);
  await expect(page.getByRole("slider").first()).toBeVisible();
});

test("neighbouring commits are compared", async ({ page }) => {
  await page.goto(`#/${PROJECT}/compare`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    new RegExp(`^${SLOWER} \\(hyperfine\\) got 25\\.0\\s% slower`),
  );
});

test("feeds and badges are files of the site", async ({ page, request, report, site }) => {
  const feed = await (await request.get(`${site}${report.project}/runs.atom`)).text();
  const [, page_of_run] = feed.match(/<entry>.*?href="(\.\.\/#[^"]+)"/s) ?? [];
  await page.goto(new URL(page_of_run ?? "", `${site}${report.project}/runs.atom`).href);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect((await request.get(`${site}badges/${report.project}.svg`)).headers()["content-type"]).toBe(
    "image/svg+xml",
  );
});

onEveryScreen(() => {
  // Those that differ from a server's.
  for (const name of ["", "/machines", "/compare", "/settings"]) {
    test(`${name || "overview"} passes the checks for every page`, async ({ page, report }) => {
      await inspectAt(page, `#/${report.project}${name}`, page.getByRole("heading", { level: 1 }));
    });
  }
});
