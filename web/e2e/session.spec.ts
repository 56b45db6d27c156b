/** Signing in and out in a real browser, and what that shows and hides. */
import { adminToken, ask, beginProject, signIn } from "./support/account";
import { expect, test } from "./support/test";

const PROJECT = "private-lab";
const NOTHING = { name: "Nothing is here" };

test.beforeAll(async ({ request }) => {
  await beginProject(request, PROJECT);
  await ask(request, "PATCH", `/api/v1/projects/${PROJECT}`, { visibility: "private" });
});

test.afterAll(async ({ request }) => {
  await ask(request, "DELETE", `/api/v1/projects/${PROJECT}`);
});

test("who signs in by token sees a private project, and who signs out does not", async ({
  page,
  context,
  complaints,
}) => {
  await page.goto(`/${PROJECT}/runs`);
  await expect(page.getByRole("heading", NOTHING)).toBeVisible();
  await page.getByRole("link", { name: "Sign in to see it" }).click();
  await signIn(page, adminToken());

  await expect(page).toHaveURL(`/${PROJECT}/runs`);
  await expect(page.getByRole("table")).toBeVisible();
  await expect(page.getByRole("banner").getByText("e2e", { exact: true })).toBeVisible();
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({
    name: "__Host-roundtrip",
    httpOnly: true,
    secure: true,
    sameSite: "Lax",
    path: "/",
  });

  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign in" })).toBeVisible();
  expect(await context.cookies()).toEqual([]);
  await page.goto(`/${PROJECT}/runs`);
  await expect(page.getByRole("heading", NOTHING)).toBeVisible();
  // The browser logs the 404s that this test is about.
  complaints.length = 0;
});

test("a wrong token is refused in words, and the right one still signs in", async ({ page, complaints }) => {
  await page.goto("/-/sign-in");
  await signIn(page, adminToken().replace("rtu_", "rta_"));
  await expect(page.getByRole("alert")).toContainText("not a user's token");
  complaints.length = 0;
  await page.getByLabel("Your token").clear();
  await signIn(page, adminToken());
  await expect(page.getByRole("link", { name: PROJECT })).toBeVisible();
});

test("signing in leads to no other site", async ({ page, baseURL }) => {
  await page.goto("/-/sign-in?to=//example.org/");
  await signIn(page, adminToken());
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
  expect(new URL(page.url()).origin).toBe(new URL(baseURL ?? "").origin);
});
