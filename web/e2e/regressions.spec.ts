/** The inbox and the page of a regression: layout, keyboard use and triage. */
import { inspect, onEveryScreen } from "./support/inspect";
import { ONE, withRegressions } from "./support/regressions";
import { expect, overviewPath, test } from "./support/test";

onEveryScreen(() => {
  test("from the overview to the inbox and to one regression", async ({ page, report }) => {
    await withRegressions(page);
    await page.goto(overviewPath(report));
    await page.getByRole("link", { name: /^3 open regressions, 2 untriaged/ }).click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("3 open regressions");
    await inspect(page);

    // Next to the list, or behind the first row.
    await page.getByRole("link", { name: /^(Slower by up to 20 %|\+20 %)/ }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      "Slower by up to 20 %, since bbbbbbb \u201cCopy twice\u201d",
    );
    await expect(page.getByText("1 of 1 also changed")).toBeVisible();
    await inspect(page);
  });
});

test("the inbox can be used by keyboard alone", async ({ page, report }) => {
  const updates = await withRegressions(page);
  await page.goto(`${overviewPath(report)}/regressions`);
  const current = page.locator("li[aria-current]");
  await expect(current).toContainText("+20 %");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await expect(current).toContainText("+5.2 %");
  await page.keyboard.press("x");
  await expect(page.getByText("2 selected")).toBeVisible();
  await page.keyboard.press("a");
  await expect(page.getByText("None selected")).toBeVisible();
  const path = (id: number) => `/api/v1/projects/${report.project}/regressions/${id}`;
  expect(updates).toEqual([9, 8].map((id) => ({ path: path(id), body: { state: "acknowledged" } })));

  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Shortcuts" });
  await expect(keys).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();
  await page.keyboard.press("k");
  await expect(current).toContainText("+20 %");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/regressions\/9$/);
});

test("only edited fields are saved", async ({ page, report }) => {
  const updates = await withRegressions(page);
  await page.goto(`${overviewPath(report)}/regressions/9`);
  await page.getByText("Note, issue link and mute").click();
  await page.getByLabel("Note").fill("Seen, reverting.");
  await inspect(page);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  expect(updates.map(({ body }) => body)).toEqual([{ note: "Seen, reverting." }]);
});

test("a change of triage can be undone", async ({ page, report }) => {
  const updates = await withRegressions(page);
  await page.goto(`${overviewPath(report)}/regressions/9`);
  await page.getByLabel("Assignee").selectOption("ada");
  await expect(page.getByText("Assigned to ada")).toBeVisible();
  await inspect(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Assigned to ada")).toBeHidden();
  expect(updates.map(({ body }) => body)).toEqual([{ assignee: "ada" }, { assignee: null }]);
});

test("a missing permission is reported", async ({ page, report, complaints }) => {
  await withRegressions(page);
  await page.route(ONE, (route) =>
    route.request().method() === "GET"
      ? route.fallback()
      : route.fulfill({
          status: 403,
          contentType: "application/problem+json",
          json: {
            type: "about:blank",
            title: "Not allowed",
            status: 403,
            detail: "expected a contributor of libfoo",
            code: "forbidden",
            request_id: "r1",
          },
        }),
  );
  await page.goto(`${overviewPath(report)}/regressions`);
  await page.getByRole("checkbox", { name: "Select regression 9" }).check();
  await page.getByRole("button", { name: "Mute for a week" }).click();
  await expect(page.getByRole("alert")).toHaveText("expected a contributor of libfoo");
  await expect(page.getByText("1 selected")).toBeVisible();
  // The browser logs the expected rejection.
  expect(complaints).toEqual([expect.stringContaining("403")]);
  complaints.length = 0;
});

test("real responses of the server are shown", async ({ page, report }) => {
  await page.goto(`${overviewPath(report)}/regressions`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/regression/);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await expect(page).toHaveURL(/shown=all/);
});
