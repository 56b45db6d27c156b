/** Signing in and out in a real browser. */
import { adminToken, ask, beginProject, openOptions, signIn } from "./support/account";
import { expect, test } from "./support/test";

const PROJECT = "private-lab";
const NOT_FOUND = { name: "Page not found" };

test.beforeAll(async ({ request }) => {
  await beginProject(request, PROJECT);
  await ask(request, "PATCH", `/api/v1/projects/${PROJECT}`, { visibility: "private" });
});

test.afterAll(async ({ request }) => {
  await ask(request, "DELETE", `/api/v1/projects/${PROJECT}`);
});

test("a private project is visible only while signed in", async ({ page, context, complaints }) => {
  await page.goto(`/${PROJECT}/runs`);
  await expect(page.getByRole("heading", NOT_FOUND)).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await signIn(page, adminToken());

  await expect(page).toHaveURL(`/${PROJECT}/runs`);
  await expect(page.getByRole("table")).toBeVisible();
  await openOptions(page);
  await expect(page.getByRole("banner").getByText("e2e")).toBeVisible();
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({
    name: "__Host-roundtrip",
    httpOnly: true,
    secure: true,
    sameSite: "Lax",
    path: "/",
  });

  await page.getByRole("button", { name: "Sign out" }).click();
  // Signing out loads the start page, without an open menu.
  await expect(page).not.toHaveURL(`/${PROJECT}/runs`);
  await openOptions(page);
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign in" })).toBeVisible();
  expect(await context.cookies()).toEqual([]);
  await page.goto(`/${PROJECT}/runs`);
  await expect(page.getByRole("heading", NOT_FOUND)).toBeVisible();
  // The browser logs the expected 404s.
  complaints.length = 0;
});

test("a wrong token is rejected with a message, and the right one still works", async ({
  page,
  complaints,
}) => {
  await page.goto("/-/sign-in");
  await signIn(page, adminToken().replace("rtu_", "rta_"));
  await expect(page.getByRole("alert")).toContainText("not a user's token");
  complaints.length = 0;
  await page.getByLabel("User token").clear();
  await signIn(page, adminToken());
  await expect(page.getByRole("link", { name: PROJECT })).toBeVisible();
});

test("signing in never redirects to another site", async ({ page, baseURL }) => {
  await page.goto("/-/sign-in?to=//example.org/");
  await signIn(page, adminToken());
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Sign in");
  expect(new URL(page.url()).origin).toBe(new URL(baseURL ?? "").origin);
});
