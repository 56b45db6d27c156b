/** The lab: an administrator enrols a machine, and queues and cancels jobs; also by keyboard. */
import type { Locator, Page } from "@playwright/test";
import { asAdmin, ask, beginProject, enrol, openAsAdmin } from "./support/account";
import { inspect, inspectAt, onEveryScreen } from "./support/inspect";
import { expect, rowNamed, test } from "./support/test";

const PROJECT = "lab-journey";
const MADE = "lab-journey-made";
const MACHINE = "lab-journey-1";
const SHA = "5".repeat(40);

test.beforeAll(async ({ request }) => {
  await beginProject(request, PROJECT);
  await ask(request, "PATCH", `/api/v1/projects/${PROJECT}`, { visibility: "public" });
  await enrol(request, PROJECT, MACHINE);
  await ask(request, "POST", `/api/v1/projects/${PROJECT}/jobs`, { commits: ["6".repeat(40)] });
});

test.afterAll(async ({ request }) => {
  for (const project of [PROJECT, MADE]) {
    await request.delete(`/api/v1/projects/${project}`, { headers: asAdmin() });
  }
});

const machineRow = (page: Page) => rowNamed(page, new RegExp(`^${MACHINE}`));

/** Presses a key on a button. Buttons are disabled while a change is saved. */
async function pressOn(button: Locator, key: string): Promise<void> {
  await expect(button).toBeEnabled();
  await button.press(key);
}

test("a visitor can see the lab, but change nothing", async ({ page }) => {
  for (const path of ["machines", "jobs", "measure"]) {
    await page.goto(`/${PROJECT}/${path}`);
    await expect(page.getByRole("main").getByRole("link", { name: "Sign in" })).toBeVisible();
    await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
  }
});

test("a machine is enabled, disabled and labelled by keyboard", async ({ page }) => {
  await openAsAdmin(page, `/${PROJECT}/machines`);
  const row = machineRow(page);
  await expect(row).toContainText("online");
  await expect(row).toContainText("healthy");
  await pressOn(row.getByRole("button", { name: `Disable ${MACHINE}` }), "Enter");
  await expect(row).toContainText("disabled");
  await pressOn(row.getByRole("button", { name: `Enable ${MACHINE}` }), "Space");
  await expect(row).toContainText("enabled");
  await pressOn(row.getByRole("button", { name: `Labels of ${MACHINE}` }), "Enter");
  await page.getByRole("dialog").getByLabel("Labels", { exact: true }).fill("lab, big-endian");
  await page.keyboard.press("Enter");
  await expect(row).toContainText("big-endian, lab");
});

test("an enrolment code is created and shown once, with commands", async ({ page }) => {
  await openAsAdmin(page, `/${PROJECT}/machines`);
  const form = page.getByRole("form", { name: "Add machine" });
  await form.getByLabel("Machine").fill("lab-journey-2");
  await form.getByRole("button", { name: "Create enrolment code" }).click();
  const made = page.getByRole("status").filter({ hasText: "On the machine, run this" });
  await expect(made).toContainText(`roundtrip enrol --server ${new URL(page.url()).origin}`);
  await expect(made).toContainText(/Valid until \d\d:\d\d/);
  await inspect(page);
  await made.getByRole("button", { name: "Done" }).click();
  await expect(made).toHaveCount(0);
  await expect(form).toBeVisible();
});

test("a job is queued, cancelled and queued again", async ({ page, complaints }) => {
  await openAsAdmin(page, `/${PROJECT}/jobs`);
  await page.getByRole("link", { name: "New job" }).click();
  const form = page.getByRole("form", { name: "New job" });
  await form.getByRole("button", { name: "Queue job", exact: true }).click();
  await expect(page.getByRole("alert")).toHaveText("Enter at least one commit.");
  await expect(form.getByLabel("Commits", { exact: true })).toHaveAttribute("aria-invalid", "true");

  await form.getByLabel("Commits", { exact: true }).fill(SHA);
  await form.getByLabel("Preset").fill("../outside");
  await form.getByRole("button", { name: "Queue job", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Expected the name of a preset");
  // The browser logs the expected rejection.
  complaints.length = 0;

  await form.getByLabel("Preset").fill("quick");
  await form.getByRole("radio", { name: "selected machines" }).check();
  await form.getByRole("checkbox", { name: new RegExp(MACHINE) }).check();
  await form.getByRole("button", { name: "Queue job", exact: true }).click();
  const heading = page.getByRole("heading", { level: 1 });
  const waiting = new RegExp(`^5555555 on ${MACHINE}: (queued|blocked)`);
  await expect(heading).toHaveText(waiting);

  await page.getByRole("button", { name: `Cancel 5555555 on ${MACHINE}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep" }).click();
  await expect(heading).toHaveText(waiting);
  await page.getByRole("button", { name: `Cancel 5555555 on ${MACHINE}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await expect(heading).toHaveText(`5555555 on ${MACHINE}: cancelled`);
  await page.getByRole("button", { name: "Measure again" }).click();
  await expect(heading).toHaveText(waiting);
});

test("the queue is filtered by status, and the address keeps the filter", async ({ page }) => {
  await page.goto(`/${PROJECT}/jobs`);
  await expect(page.getByRole("region", { name: "Queued", exact: true })).toContainText("5555555");
  await page.getByLabel("Status").selectOption("cancelled");
  await expect(page).toHaveURL(/status=cancelled/);
  await page.reload();
  await expect(page.getByLabel("Status")).toHaveValue("cancelled");
  await expect(page.getByRole("region", { name: "Finished", exact: true })).toContainText("cancelled");
  await expect(page.getByRole("region", { name: "Queued", exact: true })).toHaveCount(0);
});

test("a schedule is described, created and removed", async ({ page }) => {
  await openAsAdmin(page, `/${PROJECT}/settings?section=schedules`);
  await page.getByLabel("When").fill("15 4 * * 1");
  await expect(page.getByText("At 04:15 UTC, only on Monday")).toBeVisible();
  await page.getByRole("button", { name: "Create schedule" }).click();
  await page.getByRole("button", { name: "Remove 15 4 * * 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No schedules", { exact: true })).toBeVisible();
});

test("a project is created before its first run, and a wrong address is rejected at its field", async ({
  page,
  complaints,
}) => {
  await openAsAdmin(page, "/-/new-project");
  await page.getByLabel("Name").fill(MADE);
  await page.getByLabel("Repository").fill("https://ada:secret@git.example.org/made.git");
  await page.getByRole("button", { name: "Create project" }).click();
  await expect(page.getByRole("alert")).toContainText("without a password");
  // The browser logs the refusal.
  complaints.length = 0;
  await page.getByLabel("Repository").fill("https://git.example.org/made.git");
  await page.getByRole("button", { name: "Create project" }).click();
  await expect(page).toHaveURL(`/${MADE}/machines`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("No machines yet");
});

onEveryScreen(() => {
  test("every page of the lab", async ({ page }) => {
    await openAsAdmin(page, `/${PROJECT}/jobs`);
    await inspect(page);
    await page.getByRole("region", { name: "Queued", exact: true }).getByRole("link").first().click();
    await expect(page.getByRole("heading", { name: "Attempts" })).toBeVisible();
    await inspect(page);
    await inspectAt(page, `/${PROJECT}/machines`, machineRow(page));
    await page.goto(`/${PROJECT}/measure`);
    await page.getByRole("radio", { name: /commits in a range/ }).check();
    await page.getByRole("radio", { name: "selected machines" }).check();
    await inspect(page);
    const heading = (name: string) => page.getByRole("heading", { name });
    await inspectAt(page, `/${PROJECT}/settings?section=schedules`, heading("New schedule"));
    await inspectAt(page, "/-/new-project", heading("New project"));
  });
});

test("an agent is removed after confirmation", async ({ page }) => {
  await openAsAdmin(page, `/${PROJECT}/machines`);
  await page.getByRole("button", { name: `Remove ${MACHINE}` }).click();
  await expect(page.getByRole("dialog")).toContainText("needs a new code");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(machineRow(page)).toHaveCount(0);
});
