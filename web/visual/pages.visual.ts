/** The component page and main pages look as before. */
import { expect, type Page, test } from "@playwright/test";

/** After the newest run of the mock. */
const NOW = new Date("2026-11-24T12:00:00Z");

const PAGES = {
  overview: "/libfoo",
  regressions: "/libfoo/regressions",
  regression: "/libfoo/regressions/1",
  "pull-requests": "/libfoo/pull-requests",
  explore: "/libfoo/explore",
  series: "/libfoo/series/1",
  sweep: "/libfoo/sweep",
  advisor: "/libfoo/advisor",
};

const UNFINISHED = 'main .skeleton, main [aria-busy="true"]';

async function openLoaded(page: Page, path: string): Promise<void> {
  await page.clock.setFixedTime(NOW);
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
}

for (const [name, path] of Object.entries(PAGES)) {
  test(name, async ({ page }) => {
    await openLoaded(page, path);
    await expect(page.locator(UNFINISHED)).toHaveCount(0);
    await expect(page).toHaveScreenshot(`${name}.png`);
  });
}

test("kit", async ({ page }) => {
  await openLoaded(page, "/dev/kit");
  await expect(page.locator(".recharts-surface").last()).toBeVisible();
  await expect(page).toHaveScreenshot("kit.png", { fullPage: true });
});
