/** Explore: search by text and filters, the global search, saved views, and keyboard use. */
import type { Page } from "@playwright/test";
import { inspect, onEveryScreen } from "./support/inspect";
import { expect, overviewPath, tabTo, test } from "./support/test";

const headline = (page: Page) => page.getByRole("heading", { level: 1 });
const field = (page: Page) => page.getByRole("searchbox", { name: "Search" });
const palette = (page: Page) => page.getByRole("dialog", { name: "Search" });
const grid = (page: Page) => page.getByRole("region", { name: /by series, table$/ });
const names = (page: Page) => grid(page).getByRole("rowheader");

async function openExplore(page: Page, project: string, query = ""): Promise<void> {
  await page.goto(`/${project}/explore${query}`);
  await expect(names(page).first()).toBeVisible();
}

onEveryScreen(() => {
  test("explore, the global search and the shortcuts", async ({ page, report }) => {
    await openExplore(page, report.project, "?q=p99");
    await expect(grid(page).getByRole("img").first()).toBeVisible();
    await inspect(page);

    await page.keyboard.press("/");
    await page.getByRole("combobox", { name: "Search" }).fill("pipe");
    await expect(
      palette(page)
        .getByRole("option", { name: /^pipe, / })
        .first(),
    ).toBeVisible();
    await inspect(page);
    await page.keyboard.press("Escape");
    await expect(palette(page)).toBeHidden();

    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Shortcuts" })).toBeVisible();
    await inspect(page);
  });
});

test("a search filters rows, is in the address, and is undone by going back", async ({ page, report }) => {
  await openExplore(page, report.project);
  const before = await headline(page).innerText();
  await field(page).fill("transport:pipe size:<=1k p99");
  await expect(headline(page)).toHaveText(/^\d+ of \d+ series match(es)?$/);
  await expect(page).toHaveURL(/q=transport(%3A|:)pipe/);
  await expect(page.getByRole("button", { name: "p99", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(page.getByRole("heading", { name: /^p99 over the last/ })).toBeVisible();
  await expect(page.getByText(/^All: pipe, /)).toBeVisible();
  const sizes = grid(page).getByRole("cell", { name: /^[\d.]+ ([KMG]i)?B$/ });
  await expect(sizes.filter({ hasNotText: /^(1 KiB|\d+ B)$/ })).toHaveCount(0);

  await page.goBack();
  await expect(headline(page)).toHaveText(before);
  await expect(field(page)).toHaveValue("");
});

test("filters and search text stay in sync", async ({ page, report }) => {
  await openExplore(page, report.project);
  const box = page.getByRole("group", { name: "Transport" }).getByRole("checkbox", { name: /^pipe\b/ });
  await box.check();
  await expect(field(page)).toHaveValue("transport:pipe");
  await expect(page).toHaveURL(/q=transport(%3A|:)pipe/);
  await field(page).fill("p99");
  await expect(page).toHaveURL(/q=p99/);
  await expect(box).not.toBeChecked();
});

test("an invalid search shows its position, and an impossible one its reason", async ({ page, report }) => {
  await openExplore(page, report.project);
  await field(page).fill("pipe colour:red");
  await expect(page.getByText(/^At character 6: expected one of transport:/)).toBeVisible();
  await expect(page).toHaveURL(/\/explore$/);
  await field(page).fill("size:>1000m");
  await expect(page.getByText(/^No series has size:>1000m\. Available: /)).toBeVisible();
  await page.getByRole("link", { name: "Show all series" }).click();
  await expect(names(page).first()).toBeVisible();
});

test("one commit is marked on all lines, by pointer and keyboard", async ({ page, report }) => {
  await openExplore(page, report.project, "?q=transport:pipe");
  const lines = grid(page).locator("[data-spark]");
  await lines.first().hover();
  await expect(grid(page).getByRole("columnheader", { name: /^At #\d+$/ })).toBeVisible();
  await expect(grid(page).locator(".spark-cross")).toHaveCount(await lines.count());
  await headline(page).hover();
  await expect(grid(page).getByRole("columnheader", { name: "Newest" })).toBeVisible();
  await grid(page).getByRole("slider", { name: "Commit" }).press("End");
  await expect(grid(page).getByRole("columnheader", { name: /^At #\d+$/ })).toBeVisible();
});

test("rows are sorted and grouped, and the address keeps both", async ({ page, report }) => {
  await openExplore(page, report.project);
  await grid(page).getByRole("button", { name: "Newest" }).click();
  await expect(page).toHaveURL(/sort=newest/);
  await page.getByRole("combobox", { name: "Group" }).selectOption("Transport");
  await expect(page).toHaveURL(/group=transport/);
  // A long list has only the groups near the screen in the document.
  const open = grid(page).getByRole("button", { expanded: true }).first();
  const name = (await open.textContent()) ?? "";
  const group = grid(page).getByRole("button", { name, exact: true });
  await group.click();
  await page.reload();
  await expect(group).toHaveAttribute("aria-expanded", "false");
  await expect(grid(page).getByRole("columnheader", { name: "Newest" })).toHaveAttribute(
    "aria-sort",
    "ascending",
  );
});

test("rows are selected and opened by keyboard", async ({ page, report }) => {
  await openExplore(page, report.project);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(names(page).nth(1).getByRole("link")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("x");
  await expect(grid(page).getByRole("checkbox").first()).toBeChecked();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/series\/\d+/);
});

test("selected series can be compared", async ({ page, report }) => {
  await openExplore(page, report.project);
  const boxes = grid(page).getByRole("checkbox");
  await boxes.nth(0).check();
  await expect(page.getByText("1 selected")).toBeVisible();
  await boxes.nth(1).check();
  await expect(page).toHaveURL(/picked=/);
  await page.getByRole("main").getByRole("link", { name: "Compare" }).click();
  await expect(page).toHaveURL(/\/series\/\d+\?with=/);
});

test("the global search finds and opens a series", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await expect(headline(page)).toBeVisible();
  await page.keyboard.press("/");
  const input = page.getByRole("combobox", { name: "Search" });
  await expect(input).toBeFocused();
  await input.fill("transport:pipe size:1k p99");
  const options = palette(page).getByRole("option");
  await expect(options.filter({ hasText: /^pipe, / }).first()).toContainText("p99");
  await expect(options.last()).toHaveText(/^All \d+ series in Explore/);
  await page.keyboard.press("ArrowDown");
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/series\/\d+/);
  await expect(palette(page)).toBeHidden();
});

test("the global search finds pages, commits and machines", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await expect(headline(page)).toBeVisible();
  await page.keyboard.press("Control+k");
  const input = page.getByRole("combobox", { name: "Search" });
  const options = palette(page).getByRole("option");
  await input.fill(report.machine.slug);
  await expect(options.filter({ hasText: report.machine.slug }).first()).toBeVisible();
  await input.fill(report.commit.sha.slice(0, 10));
  await expect(options.filter({ hasText: report.commit.subject }).first()).toBeVisible();
  await input.fill("error rates");
  await palette(page).getByRole("option", { name: "Error rates", exact: true }).click();
  await expect(page).toHaveURL(/\/error-rates$/);
});

test("a view is saved, found, renamed and deleted", async ({ page, report }) => {
  await openExplore(page, report.project, "?q=transport:pipe%20p99");
  await page.getByRole("button", { name: "Save this view" }).click();
  const views = page.getByRole("dialog", { name: "Saved views" });
  await views.getByLabel("Save this page as").fill("pipe, the tail");
  await page.keyboard.press("Enter");
  await expect(views.getByText("Saved as pipe, the tail.")).toBeVisible();
  await inspect(page);
  await page.keyboard.press("Escape");

  await page.goto(overviewPath(report));
  await expect(headline(page)).toBeVisible();
  // Typed immediately: no character is lost while the search opens.
  await page.keyboard.type("/tail");
  await palette(page)
    .getByRole("option", { name: /^pipe, the tail/ })
    .click();
  await expect(field(page)).toHaveValue("transport:pipe p99");

  await page.keyboard.press("v");
  await views.getByRole("button", { name: "Rename pipe, the tail" }).click();
  await views.getByLabel("Name", { exact: true }).fill("tail");
  await page.keyboard.press("Enter");
  await expect(views.getByRole("link", { name: "tail", exact: true })).toBeVisible();
  await views.getByRole("button", { name: "Delete tail" }).click();
  await expect(views.getByText("No saved views")).toBeVisible();
});

test("shortcuts of the page and of all pages are listed, and can be turned off", async ({ page, report }) => {
  await openExplore(page, report.project);
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Shortcuts" });
  await expect(keys).toContainText("previous commit in all charts");
  await expect(keys).toContainText("g o");
  await keys.getByRole("checkbox", { name: "Enable single-key shortcuts" }).uncheck();
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect(page).toHaveURL(/\/explore$/);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).fill("shortcuts");
  await page.keyboard.press("Enter");
  await keys.getByRole("checkbox", { name: "Enable single-key shortcuts" }).check();
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect(page).toHaveURL(new RegExp(`${overviewPath(report)}$`));
});

test("a series can be searched and opened by keyboard", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await expect(headline(page)).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await expect(names(page).first()).toBeVisible();
  await tabTo(page, field(page));
  await page.keyboard.type("transport:pipe");
  await page.keyboard.press("Enter");
  await expect(headline(page)).toHaveText(/^\d+ of \d+ series match/);
  await tabTo(page, names(page).first().getByRole("link"));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/series\/\d+/);
});
