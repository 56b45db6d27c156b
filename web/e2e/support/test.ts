/**
 * The test function of this folder: provides the report, and fails tests whose page logs an error, violates the content
 * security policy or sends a request to another origin.
 */
import { readFile } from "node:fs/promises";
import { test as base, expect, type Locator, type Page } from "@playwright/test";
import { readReport } from "./report";

type Fixtures = { report: ReturnType<typeof readReport>; complaints: string[] };

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from this pattern.
  report: async ({}, use) => {
    await use(readReport());
  },
  complaints: [
    async ({ page, baseURL }, use) => {
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
      page.on("console", (message) => {
        // Breaches of the content security policy are logged as errors too.
        if (message.type() === "error") complaints.push(`logged: ${message.text()}`);
      });
      page.on("request", (request) => {
        const { origin, protocol } = new URL(request.url());
        if (protocol.startsWith("http") && origin !== new URL(baseURL ?? "").origin) {
          complaints.push(`request to another origin: ${request.url()}`);
        }
      });
      await use(complaints);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

/** The address of the report's pages: `/libfoo`. */
export function overviewPath(report: Fixtures["report"]): string {
  return `/${report.project}`;
}

/** Opens the series of the 1 KiB round trip over a transport from the overview. */
export async function openSeries(page: Page, report: Fixtures["report"], transport: string): Promise<void> {
  await page.goto(overviewPath(report));
  await rowNamed(page, transport).getByRole("link").first().click();
  await expect(page.getByRole("complementary", { name: "Pinned point" })).toBeVisible();
}

/** The row with this header, in a part of the page. */
export function rowNamed(page: Page, name: string | RegExp, part: Page | Locator = page): Locator {
  return part.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
}

/** Moves the focus to an element with the Tab key. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  const STEPS_MAX = 120;
  for (let step = 0; step < STEPS_MAX; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Not focused after ${STEPS_MAX} presses of Tab.`);
}

/** The file that a click on a link or button downloads. */
export async function downloaded(page: Page, link: Locator): Promise<{ name: string; content: Buffer }> {
  const downloading = page.waitForEvent("download");
  await link.click();
  const file = await downloading;
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}

/** The first row of a CSV file that contains a text, by column. Its cells must have no commas. */
export function csvRow(content: Buffer, text: string): Record<string, string> {
  const [header = "", ...rows] = content.toString().trimEnd().split("\r\n");
  const cells = rows.find((row) => row.includes(text))?.split(",") ?? [];
  return Object.fromEntries(header.split(",").map((column, place) => [column, cells[place] ?? ""]));
}

export { expect } from "@playwright/test";
