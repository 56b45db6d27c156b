/** What is uploaded while somebody looks appears by itself. */
import { importGolden } from "./support/import";
import { expect, overviewPath, test } from "./support/test";

test("a run that arrives while its project is open is listed without a reload", async ({
  page,
  report,
  baseURL,
}) => {
  const streaming = page.waitForResponse((response) => response.url().endsWith("/events"));
  await page.goto(`${overviewPath(report)}/runs`);
  await expect(page.getByRole("table")).toBeVisible();
  expect((await streaming).status()).toBe(200);
  // A reload would make another document.
  const document = await page.evaluateHandle(() => window.document);

  const { run_id } = importGolden("google-benchmark/repetitions.json", baseURL ?? "");
  await expect(page.locator(`a[href$="/runs/${run_id}"]`)).toBeVisible();
  expect(await document.evaluate((before) => before === window.document)).toBe(true);
});
