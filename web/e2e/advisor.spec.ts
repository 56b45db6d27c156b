/** The advisor: ranks transports for adjustable message sizes. */
import { inspect, onEveryScreen } from "./support/inspect";
import { expect, overviewPath, test } from "./support/test";

const BARS = "Messages by size, adjustable";

test("moving a bar by keyboard requests the new sizes and updates the address", async ({ page, report }) => {
  await page.goto(overviewPath(report));
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByText("Choose").click();
  await pages.getByRole("link", { name: "Advisor" }).click();
  const ranking = page.getByRole("region", { name: new RegExp(`^Ranking, ${report.machine.slug}`) }).first();
  await expect(ranking.getByRole("row").nth(1)).toContainText("fastest");
  await expect(page.getByRole("region", { name: "37,573 messages of 12 B to 15.7 KiB" })).toBeVisible();

  const bars = page.getByRole("group", { name: BARS }).getByRole("slider");
  await bars.first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(bars.nth(1)).toBeFocused();
  const before = Number(await bars.nth(1).getAttribute("aria-valuenow"));
  const asked = page.waitForRequest((request) => {
    const { pathname, searchParams } = new URL(request.url());
    return pathname.endsWith("/advice") && searchParams.get("sizes") !== null;
  });
  await page.keyboard.press("PageUp");
  const after = Number(await bars.nth(1).getAttribute("aria-valuenow"));
  expect(after).toBeGreaterThan(before);
  expect(new URL((await asked).url()).searchParams.get("sizes")).toContain(`16-20:${after},`);
  await expect(page).toHaveURL(new RegExp(`dragged=16%3A${after}$`));

  await page.reload();
  await expect(bars.nth(1)).toHaveAttribute("aria-valuenow", String(after));
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(page).not.toHaveURL(/dragged=/);
  await expect(bars.nth(1)).toHaveAttribute("aria-valuenow", String(before));
});

test("custom sizes are rejected with a message or ranked, and scaled", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/advisor`);
  await page.getByRole("button", { name: "Custom sizes" }).click();
  const field = page.getByRole("textbox", { name: "Message sizes" });
  await field.fill("64:3,x");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("alert")).toContainText("“x” is not a bucket");
  await field.fill("64\n64\n256");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page).toHaveURL(/sizes=64%3A2%2C256%3A1/);
  await expect(page.getByRole("region", { name: "3 messages of 64 B to 256 B" })).toBeVisible();
  await page.getByRole("slider", { name: "Scale sizes" }).press("ArrowRight");
  await expect(page).toHaveURL(/times=1\.5/);
});

onEveryScreen(() => {
  test("the advisor", async ({ page, report }) => {
    await page.goto(`${overviewPath(report)}/advisor?rate=10000`);
    await expect(page.locator(".dragged-bars .bar").first()).toBeVisible();
    await expect(page.getByRole("columnheader", { name: "vs fastest" }).first()).toBeVisible();
    await inspect(page);
  });
});
