/**
 * The test function of this folder: provides the report, and fails tests whose page logs an error, violates the content
 * security policy or sends a request to another origin.
 */
import { test as base, expect, type Page } from "@playwright/test";
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
  const row = page
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name: transport, exact: true }) });
  await row.getByRole("link").first().click();
  await expect(page.getByRole("complementary", { name: "Pinned point" })).toBeVisible();
}

export { expect } from "@playwright/test";
