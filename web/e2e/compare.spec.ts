/** Comparisons and pull requests, in a separate project with known differences. */
import type { APIRequestContext, Page } from "@playwright/test";
import { asAdmin, ask } from "./support/account";
import { reportOfTimes } from "./support/import";
import { inspect, inspectAt, onEveryScreen } from "./support/inspect";
import { childOf, type Report } from "./support/report";
import { expect, overviewPath, test } from "./support/test";

const PROJECT = "compared";
const SLOWER = "pipes --copies 2";
const STEADY = "pipes --copies 1";
const PULL_REQUEST = 42;

/** Twelve times close to a value, in seconds. */
const around = (seconds: number) => Array.from({ length: 12 }, (_, index) => seconds * (1 + index / 1000));
const TIMES = { [STEADY]: around(0.1), [SLOWER]: around(0.2) };
const SLOWER_TIMES = { ...TIMES, [SLOWER]: around(0.25) };

let base: Report;
let head: Report;

test.beforeAll(async ({ request }) => {
  base = await put(request, reportOfTimes(TIMES));
  head = await put(request, childOf(base, reportOfTimes(SLOWER_TIMES), "Copy every message twice"));
  const topic = childOf(base, reportOfTimes(SLOWER_TIMES), "Copy on write");
  await put(request, { ...topic, branch: "topic", pull_request: PULL_REQUEST });
});

test.afterAll(async ({ request }) => {
  await ask(request, "DELETE", `/api/v1/projects/${PROJECT}`);
});

test("the newest two commits are compared, and the link shows the same comparison", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  // Only users with an account create short links.
  await page.setExtraHTTPHeaders(asAdmin());
  await page.goto(`/${PROJECT}/compare`);
  await expect(page).toHaveURL(new RegExp(`base=${base.commit.sha}&head=${head.commit.sha}`));
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText(
    new RegExp(`^${SLOWER} \\(hyperfine\\) got 25\\.0\\s% slower \\(.+\\) on .+; 1 of 2 cases changed\\.$`),
  );
  const headline = (await heading.innerText()).replaceAll("\u00a0", " ");

  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  const markdown = await copied(page);
  expect(markdown).toContain(SLOWER);
  expect(markdown).toContain("| 🔴 slower |");
  expect(markdown).toMatch(/\(http:\/\/.+\/l\/[0-9a-f]+\)/);

  await page
    .getByRole("group", { name: /^Changes by case/ })
    .getByRole("button", { name: "Link" })
    .click();
  const link = await copied(page, /^http/);
  expect(link).toMatch(/\/l\/[0-9a-f]+#forest$/);
  const other = await context.newPage();
  await other.goto(link);
  await expect(other.getByRole("heading", { level: 1 })).toHaveText(headline);
  await other.close();

  await page.getByRole("rowheader", { name: SLOWER }).getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`/series/\\d+\\?run=${head.run_id}`));
  await page.goBack();
  await expect(heading).toHaveText(headline);
});

test("a series can be browsed and compared by keyboard alone", async ({ page }) => {
  await page.goto(`/${PROJECT}/compare?base=${base.commit.sha}&head=${head.commit.sha}`);
  await page.getByRole("rowheader", { name: SLOWER }).getByRole("link").click();
  const pinned = page.getByRole("complementary", { name: "Pinned point" });
  await expect(pinned).toContainText(head.commit.sha.slice(0, 7));
  await page.locator("main").focus();
  await page.keyboard.press("ArrowLeft");
  await expect(pinned).toContainText(base.commit.sha.slice(0, 7));
  await page.keyboard.press("ArrowRight");
  await expect(pinned).toContainText(head.commit.sha.slice(0, 7));
  await expect(pinned.getByRole("link", { name: /^Compare with/ })).toBeVisible();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Shortcuts" })).toContainText(
    "compare with the previous commit",
  );
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("25.0 % slower");
});

test("sides are selected by keyboard, swapped, and restored by going back", async ({ page }) => {
  await page.goto(`/${PROJECT}/compare?base=${base.commit.sha.slice(0, 10)}`);
  await page.getByRole("combobox", { name: "Head" }).focus();
  await page.keyboard.type("message twice");
  await expect(page.getByRole("listbox").getByRole("option")).toHaveCount(1);
  await page.keyboard.press("Enter");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toContainText("25.0 % slower");
  await page.getByRole("button", { name: "Swap" }).click();
  await expect(heading).toContainText("20.0 % faster");
  await page.goBack();
  await expect(heading).toContainText("25.0 % slower");

  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByRole("rowheader", { name: STEADY })).toBeVisible();
  await page.getByRole("searchbox", { name: "Case" }).fill("nothing of this name");
  await expect(page.getByText("No matching cases.")).toBeVisible();
});

test("an invalid side is reported", async ({ page }) => {
  await page.goto(`/${PROJECT}/compare?base=main&head=${head.commit.sha}`);
  await expect(page.getByRole("alert")).toContainText("“main” is not a commit or run");
});

test("a pull request is compared with its merge base", async ({ page, report }) => {
  await page.goto(`/${PROJECT}/pull-requests`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("1 pull request measured");
  await page.getByRole("link", { name: `#${PULL_REQUEST}` }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(
    `Pull request ${PULL_REQUEST}: ${SLOWER} (hyperfine) got 25.0 % slower`,
  );
  await expect(page.getByRole("region", { name: "Runs, table" }).getByRole("row")).toHaveCount(2);
  await page.goto(`${overviewPath(report)}/pull-requests`);
  await expect(page.getByText("roundtrip run --output report.json")).toBeVisible();
});

test("an unknown pull request is not found", async ({ page, complaints }) => {
  for (const name of ["7", "seven"]) {
    await page.goto(`/${PROJECT}/pull-requests/${name}`);
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  }
  // React logs what a page's error boundary caught.
  complaints.length = 0;
});

onEveryScreen(() => {
  test("comparisons and pull requests", async ({ page, report }) => {
    await page.goto(`/${PROJECT}/compare`);
    await expect(page.getByRole("heading", { name: "Changes by case" })).toBeVisible();
    await page.getByRole("combobox", { name: "Base" }).click();
    await expect(page.getByRole("listbox")).toBeVisible();
    await inspect(page);
    const heading = (name: string) => page.getByRole("heading", { name });
    const compared = `/${PROJECT}/compare?base=${base.commit.sha}&head=${head.commit.sha}&open=inconclusive.unchanged`;
    await inspectAt(page, compared, page.getByRole("rowheader", { name: STEADY }));
    await inspectAt(page, `/${PROJECT}/pull-requests`, page.getByRole("table"));
    await inspectAt(page, `/${PROJECT}/pull-requests/${PULL_REQUEST}`, heading("Changed cases"));
    await inspectAt(page, `/${PROJECT}/commit/${head.commit.sha}`, heading("Changed cases"));
    await inspectAt(page, `${overviewPath(report)}/pull-requests`, heading("No pull requests yet"));
  });
});

/** Uploads a report to the project of this file. */
async function put(request: APIRequestContext, report: Report): Promise<Report> {
  const uploaded = { ...report, project: PROJECT };
  await ask(request, "PUT", `/api/v1/runs/${report.run_id}`, uploaded);
  return uploaded;
}

/** The clipboard, once it matches. */
async function copied(page: Page, like = /./): Promise<string> {
  const read = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(read).toMatch(like);
  return read();
}
