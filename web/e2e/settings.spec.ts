/** Settings: as a visitor, and changes by an administrator. */
import type { Page } from "@playwright/test";
import { asAdmin, ask, beginProject, openAsAdmin } from "./support/account";
import { inspect, inspectAt, onEveryScreen } from "./support/inspect";
import { expect, rowNamed, test } from "./support/test";

const PROJECT = "settings-lab";
const MEMBER = "settings-member";
/** The sections for everyone. */
const PARTS = ["General", "Schedules", "Members", "Tokens", "Notifications", "Badges", "Delete"];

test.beforeAll(async ({ request }) => {
  await beginProject(request, PROJECT);
  await ask(request, "PATCH", `/api/v1/projects/${PROJECT}`, { visibility: "public" });
  await ask(request, "POST", "/api/v1/accounts", { name: MEMBER });
});

test.afterAll(async ({ request }) => {
  await ask(request, "DELETE", `/api/v1/accounts/${MEMBER}`);
  // Only needed if the last test failed to delete it.
  await request.delete(`/api/v1/projects/${PROJECT}`, { headers: asAdmin() });
});

/** Opens a section of the settings as the administrator. */
async function open(page: Page, part?: string): Promise<void> {
  await openAsAdmin(page, `/${PROJECT}/settings${part === undefined ? "" : `?section=${part}`}`);
  await expect(page.getByText(/, server administrator\./)).toBeVisible();
}

test("a visitor can read the settings, but change nothing", async ({ page }) => {
  await page.goto(`/${PROJECT}/settings`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    `${PROJECT} is public: anyone with network access can view`,
  );
  await expect(page.getByText(/^Only maintainers can change this; you are not signed in\./)).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Settings" }).getByRole("link")).toHaveText(PARTS);
  for (const part of ["Schedules", "Members", "Tokens", "Notifications", "Delete"]) {
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: part }).click();
    await expect(page.getByRole("main").getByRole("link", { name: "Sign in" })).toBeVisible();
    await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
    await expect(page.getByRole("main").getByRole("textbox")).toHaveCount(0);
  }
});

test("the visibility can be changed and restored", async ({ page, request }) => {
  await open(page);
  const heading = page.getByRole("heading", { level: 1 });
  const save = page.getByRole("button", { name: "Save" });
  await expect(save).toBeDisabled();
  await page.getByRole("radio", { name: /^Private/ }).check();
  await save.click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await expect(heading).toContainText(`${PROJECT} is private`);
  expect((await request.get(`/api/v1/projects/${PROJECT}`)).status()).toBe(404);
  await page.getByRole("radio", { name: /^Public/ }).check();
  await save.click();
  await expect(heading).toContainText(`${PROJECT} is public`);
  expect((await request.get(`/api/v1/projects/${PROJECT}`)).status()).toBe(200);
});

test("an invalid branch is rejected at its field", async ({ page, complaints }) => {
  await open(page);
  const branch = page.getByLabel("Default branch");
  await branch.fill("b".repeat(300));
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toContainText("Expected 1 to 255 bytes");
  await expect(branch).toHaveAttribute("aria-invalid", "true");
  // The browser logs the expected rejection.
  complaints.length = 0;
});

test("a token is created, shown once, rotated and revoked", async ({ page, request }) => {
  await open(page, "tokens");
  await page.getByLabel("Name").fill("lab-9");
  await page.getByLabel("Machine").fill("lab-9");
  await page.getByLabel("Valid for (days)").fill("30");
  await page.getByRole("button", { name: "Create token" }).click();
  const shown = page.getByRole("status").filter({ hasText: "Secret of lab-9" });
  const secret = await shown.getByText(/^rta_/).innerText();
  const upload = { headers: { authorization: `Bearer ${secret}` }, data: {} };
  // The token is accepted; the body is invalid.
  expect((await request.post("/api/v1/import", upload)).status()).toBe(422);

  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText(secret)).toHaveCount(0);
  await page.reload();
  const row = rowNamed(page, "lab-9");
  await expect(row).toContainText("this project, lab-9");
  await expect(page.getByText(secret)).toHaveCount(0);

  await row.getByRole("button", { name: "Rotate lab-9" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  await expect(page.getByText("Secret of lab-9", { exact: true })).toBeVisible();
  await expect(row).toContainText("old secret valid until tomorrow");
  expect((await request.post("/api/v1/import", upload)).status()).toBe(422);

  await row.getByRole("button", { name: "Revoke lab-9" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep" }).click();
  await expect(row).toBeVisible();
  await row.getByRole("button", { name: "Revoke lab-9" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(row).toHaveCount(0);
  expect((await request.post("/api/v1/import", upload)).status()).toBe(401);
});

test("a member is added, gets another role, and is removed", async ({ page, complaints }) => {
  await open(page, "members");
  await expect(page.getByText(/^No members\./)).toBeVisible();
  await page.getByLabel("Account").fill("settings-nobody");
  await page.getByRole("button", { name: "Add member" }).click();
  await expect(page.getByRole("alert")).toHaveText("account not found: settings-nobody");
  // The browser logs the refusal.
  complaints.length = 0;
  await page.getByLabel("Account").fill(MEMBER);
  await page.getByRole("button", { name: "Add member" }).click();
  const role = page.getByLabel(`Role of ${MEMBER}`);
  await expect(role).toHaveValue("viewer");
  await role.selectOption("maintainer");
  await expect(role).toBeEnabled();
  await page.reload();
  await expect(role).toHaveValue("maintainer");
  await page.getByRole("button", { name: `Remove ${MEMBER}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText(/^No members\./)).toBeVisible();
});

test("a channel is added, tested, turned off and on, and deleted", async ({ page, complaints }) => {
  await open(page, "notifications");
  await expect(page.getByText("No notification channels")).toBeVisible();
  await page.getByLabel("Name").fill("bug tracker");
  await page.getByLabel("Type", { exact: true }).selectOption("webhook");
  await page.getByLabel("Address").fill("https://127.0.0.1/hook");
  await page.getByRole("button", { name: "Add channel" }).click();
  await expect(page.getByRole("alert")).toContainText("is not an address of the public internet");
  // The browser logs the refusal.
  complaints.length = 0;
  // A name that means nothing anywhere (RFC 6761).
  await page.getByLabel("Address").fill("https://receiver.invalid/hooks/0123456789abcdef");
  await page.getByRole("button", { name: "Add channel" }).click();
  const key = page.getByRole("status").filter({ hasText: "Signing key for bug tracker" });
  await expect(key.getByText(/^whsec_/)).toBeVisible();
  await page.getByRole("button", { name: "Done" }).click();
  await page.reload();
  await expect(page.getByText(/^whsec_/)).toHaveCount(0);
  const row = rowNamed(page, /bug tracker/);
  await expect(row).toContainText("receiver.invalid/…cdef");
  await expect(row).toContainText("regressions");
  await expect(row).toContainText("Nothing sent yet");
  await inspect(page);
  await row.getByRole("button", { name: "Test bug tracker" }).click();
  await expect(page.getByText(/^Not delivered: /)).toBeVisible();
  await expect(row).toContainText(/Failed .*: /);
  await row.getByRole("button", { name: "Turn off bug tracker" }).click();
  await expect(row).toContainText("none (off)");
  await row.getByRole("button", { name: "Turn on bug tracker" }).click();
  await expect(row).toContainText("regressions");
  await row.getByRole("button", { name: "Delete bug tracker" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No notification channels")).toBeVisible();
});

test("the project badge is shown, and its code links to it", async ({ page, request }) => {
  await page.goto(`/${PROJECT}/settings?section=badges`);
  const badge = page.getByRole("img", { name: `Regressions of ${PROJECT}` });
  await expect(badge).toBeVisible();
  expect(await badge.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100);
  const code = await page.getByText(/^\[!\[/).innerText();
  const [, src = "", href = ""] = /\]\((.*?)\)\]\((.*?)\)/.exec(code) ?? [];
  expect(await (await request.get(src)).text()).toContain(`${PROJECT}: no regressions`);
  expect((await request.get(href)).status()).toBe(200);
});

test("administrators can read the audit log", async ({ page }) => {
  await open(page, "audit");
  const row = page.getByRole("row").filter({ hasText: "membership." }).first();
  await expect(row).toContainText(`project:${PROJECT}`);
});

onEveryScreen(() => {
  test("every section of the settings", async ({ page }) => {
    const signIn = page.getByRole("main").getByRole("link", { name: "Sign in" });
    await inspectAt(page, `/${PROJECT}/settings`, signIn);
    await open(page);
    const parts = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
    await expect(parts).toHaveText([...PARTS.slice(0, -1), "Accounts", "Audit log", "Delete"]);
    for (const part of await parts.all()) {
      await part.click();
      await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
      await inspect(page);
    }
  });
});

test("a project is deleted after its name is entered", async ({ page, request }) => {
  await open(page, "delete");
  const button = page.getByRole("button", { name: `Delete ${PROJECT} permanently` });
  await expect(button).toBeDisabled();
  await page.getByLabel(`Type ${PROJECT}`).fill(PROJECT);
  await button.click();
  await expect(page).not.toHaveURL(/settings/);
  expect((await request.get(`/api/v1/projects/${PROJECT}`)).status()).toBe(404);
});
