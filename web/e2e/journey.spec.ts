/** Keyboard use, themes, going back and wrong addresses. */
import { openOptions } from "./support/account";
import { expect, overviewPath, rowNamed, tabTo, test } from "./support/test";

test("the keyboard alone leads from the overview to a series and its run", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  const cell = rowNamed(page, "pipe").getByRole("link").first();
  await expect(cell).toBeVisible();
  await tabTo(page, cell);
  await page.keyboard.press("Enter");

  const chart = page.getByRole("slider", { name: /^Latency by commits/ });
  await expect(chart).toBeVisible();
  await tabTo(page, chart);
  await page.keyboard.press("Home");
  await expect(page).toHaveURL(/at=\d+/);
  await expect(chart).toHaveAttribute("aria-valuetext", /^commit \d+, p50 /);

  const run = page.getByRole("link", { name: "Open run" });
  await tabTo(page, run);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toContainText(report.machine.slug);
});

test("the theme is kept after a reload", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await openOptions(page);
  await page.getByRole("button", { name: "Dark", exact: true }).click();
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await openOptions(page);
  await expect(page.getByRole("button", { name: "Dark", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
});

test("going back restores the previous page", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  await page.getByRole("link", { name: "All runs" }).click();
  await expect(page).toHaveURL(/\/runs$/);
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Machines" })).toBeVisible();
});

test("an unknown run is reported", async ({ page, report, complaints }) => {
  await page.goto(`/${report.project}/runs/01900000-0000-7000-8000-000000000000`);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  // The browser logs the expected 404.
  complaints.length = 0;
});
