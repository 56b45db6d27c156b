/** Empty pages, missing permissions and stale data. */
import { inspect, onEveryScreen } from "./support/inspect";
import { expect, overviewPath, test } from "./support/test";

const EVENTS = /\/api\/v1\/projects\/[^/]+\/events$/;

onEveryScreen(() => {
  test("a server without projects shows the first steps", async ({ page, baseURL }) => {
    await page.route(/\/api\/v1\/projects(\?|$)/, (route) =>
      route.fulfill({ json: { projects: [], next_after: null } }),
    );
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("No runs yet");
    const target = `--upload ${new URL(baseURL ?? "").origin} --token-file agent.token`;
    await expect(page.getByText(`roundtrip run ${target}`)).toBeVisible();
    await expect(page.getByText(`roundtrip import results.json ${target}`)).toBeVisible();
    await inspect(page);
  });

  test("a page stays visible offline, shows its age, and recovers", async ({
    page,
    context,
    report,
    complaints,
  }) => {
    await page.goto(overviewPath(report));
    await expect(page.getByRole("heading", { name: "Machines" })).toBeVisible();
    await context.setOffline(true);
    await expect(page.getByText(/^Offline\. Data from \d\d:\d\d\./)).toBeVisible();
    await expect(page.getByRole("heading", { name: "Machines" })).toBeVisible();
    await inspect(page);
    await context.setOffline(false);
    await expect(page.getByText(/^Offline/)).toHaveCount(0);
    // The browser logs the failed requests.
    complaints.length = 0;
  });

  test("the page of a missing project offers to sign in", async ({ page, complaints }) => {
    await page.goto("/nowhere-lab/runs");
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await expect(page.getByText("project not found: nowhere-lab")).toBeVisible();
    await inspect(page);
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
    await expect(page).toHaveURL(/\/-\/sign-in\?to=%2Fnowhere-lab%2Fruns$/);
    // The browser logs the expected 404.
    complaints.length = 0;
  });
});

test("a broken event stream is reported, and the page can be refreshed", async ({
  page,
  report,
  complaints,
}) => {
  await page.route(EVENTS, (route) => route.abort());
  await page.goto(overviewPath(report));
  await expect(page.getByText(/^Live updates lost at \d\d:\d\d\./)).toBeVisible();
  const asked = page.waitForResponse(/\/api\/v1\/projects\/[^/]+\/runs/);
  await page.getByRole("button", { name: "Refresh" }).click();
  expect((await asked).ok()).toBe(true);
  // The browser logs the broken stream.
  complaints.length = 0;
});

test("an unresponsive server is reported until it recovers", async ({ page, report, complaints }) => {
  await page.goto(overviewPath(report));
  await expect(page.getByRole("heading", { name: "Machines" })).toBeVisible();
  await page.route("**/api/v1/**", (route) => route.abort());
  await page.locator("a.grid-cell").first().click();
  await expect(page.getByText(/^Server not responding\. Data from/)).toBeVisible();
  await expect(page.getByRole("heading", { name: "Server not responding" })).toBeVisible();
  await page.unroute("**/api/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText(/^Server not responding/)).toHaveCount(0);
  await expect(page.getByRole("complementary", { name: "Pinned point" })).toBeVisible();
  // The browser logs the failed requests.
  complaints.length = 0;
});
