/** Uploads appear on open pages without a reload. */
import { importGolden } from "./support/import";
import { expect, overviewPath, test } from "./support/test";

test("a new run is listed without a reload", async ({ page, report, baseURL }) => {
  const streaming = page.waitForResponse((response) => response.url().endsWith("/events"));
  await page.goto(`${overviewPath(report)}/runs`);
  await expect(page.getByRole("table")).toBeVisible();
  expect((await streaming).status()).toBe(200);
  // A reload would create another document.
  const document = await page.evaluateHandle(() => window.document);

  const { run_id } = importGolden("google-benchmark/repetitions.json", baseURL ?? "");
  await expect(page.locator(`a[href$="/runs/${run_id}"]`)).toBeVisible();
  expect(await document.evaluate((before) => before === window.document)).toBe(true);
});
