/** The lab: an administrator lets a machine in, gives it work, asks for a measurement and cancels it; by keyboard as well. */
import { generateKeyPairSync } from "node:crypto";
import type { APIRequestContext, Locator, Page } from "@playwright/test";
import { adminToken, ask, beginProject, signIn } from "./support/account";
import { inspect, SCREENS } from "./support/inspect";
import { readReport } from "./support/report";
import { expect, test } from "./support/test";

const PROJECT = "lab-journey";
const MADE = "lab-journey-made";
const MACHINE = "lab-journey-1";
const SHA = "5".repeat(40);

const asAdmin = () => ({ authorization: `Bearer ${adminToken()}` });

/** Lets an agent in, as `roundtrip enrol` does. */
async function enrol(request: APIRequestContext): Promise<void> {
  const data = { project: PROJECT, machine: MACHINE, labels: ["lab"] };
  const made = await request.post("/api/v1/enrolments", { headers: asAdmin(), data });
  const { code } = await made.json();
  const { publicKey } = generateKeyPairSync("ed25519");
  const public_key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const machine = { ...readReport().machine, slug: MACHINE };
  const enrolled = await request.post("/api/v1/agents", { data: { code, public_key, machine } });
  expect(enrolled.status(), await enrolled.text()).toBe(201);
}

test.beforeAll(async ({ request }) => {
  await beginProject(request, PROJECT);
  await ask(request, "PATCH", `/api/v1/projects/${PROJECT}`, { visibility: "public" });
  await enrol(request);
  await ask(request, "POST", `/api/v1/projects/${PROJECT}/jobs`, { commits: ["6".repeat(40)] });
});

test.afterAll(async ({ request }) => {
  for (const project of [PROJECT, MADE]) {
    await request.delete(`/api/v1/projects/${project}`, { headers: asAdmin() });
  }
});

/** Opens a page as the administrator. */
async function open(page: Page, to: string): Promise<void> {
  await page.goto(`/-/sign-in?to=${encodeURIComponent(to)}`);
  await signIn(page, adminToken());
  await expect(page).toHaveURL(to);
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Sign in");
}

const rowOf = (page: Page, machine: string) =>
  page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${machine}`) }) });

/** Focuses a button and presses a key. A button is disabled until the change before it is saved. */
async function pressOn(button: Locator, key: string): Promise<void> {
  await expect(button).toBeEnabled();
  await button.press(key);
}

test("a stranger sees the lab, and is offered nothing but to sign in", async ({ page }) => {
  for (const path of ["machines", "jobs", "measure"]) {
    await page.goto(`/${PROJECT}/${path}`);
    await expect(page.getByRole("link", { name: "Sign in to do so" })).toBeVisible();
    await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
  }
});

test("a machine is enabled, disabled and labelled, by keyboard alone", async ({ page }) => {
  await open(page, `/${PROJECT}/machines`);
  const row = rowOf(page, MACHINE);
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

test("a code is made and shown once, with what to type", async ({ page }) => {
  await open(page, `/${PROJECT}/machines`);
  const form = page.getByRole("form", { name: "Add a machine" });
  await form.getByLabel("Machine").fill("lab-journey-2");
  await form.getByRole("button", { name: "Make a code" }).click();
  const made = page.getByRole("status").filter({ hasText: "The code for one agent" });
  await expect(made).toContainText(`roundtrip enrol --server ${new URL(page.url()).origin}`);
  await expect(made).toContainText(/It is good until \d\d:\d\d/);
  await inspect(page);
  await made.getByRole("button", { name: "I have it" }).click();
  await expect(made).toHaveCount(0);
  await expect(form).toBeVisible();
});

test("a measurement is asked for, cancelled, and asked for again", async ({ page, complaints }) => {
  await open(page, `/${PROJECT}/jobs`);
  await page.getByRole("link", { name: "Ask for a measurement" }).click();
  const form = page.getByRole("form", { name: "Ask for a measurement" });
  await form.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(page.getByRole("alert")).toHaveText("Expected at least one commit.");
  await expect(form.getByLabel("Commits", { exact: true })).toHaveAttribute("aria-invalid", "true");

  await form.getByLabel("Commits", { exact: true }).fill(SHA);
  await form.getByLabel("Preset").fill("../outside");
  await form.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Expected the name of a preset");
  // The browser logs the refusal that this test is about.
  complaints.length = 0;

  await form.getByLabel("Preset").fill("quick");
  await form.getByRole("radio", { name: "chosen machines" }).check();
  await form.getByRole("checkbox", { name: new RegExp(MACHINE) }).check();
  await form.getByRole("button", { name: "Ask", exact: true }).click();
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toContainText(`5555555 waits to be measured on ${MACHINE}`);

  await page.getByRole("button", { name: `Cancel 5555555 on ${MACHINE}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep" }).click();
  await expect(heading).toContainText("waits");
  await page.getByRole("button", { name: `Cancel 5555555 on ${MACHINE}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await expect(heading).toHaveText(`The measurement of 5555555 on ${MACHINE} was cancelled.`);
  await page.getByRole("button", { name: "Measure again" }).click();
  await expect(heading).toContainText("waits");
});

test("the queue is narrowed by status and machine, and the address keeps both", async ({ page }) => {
  await page.goto(`/${PROJECT}/jobs`);
  await expect(page.getByRole("region", { name: "Waiting", exact: true })).toContainText("5555555");
  await page.getByLabel("Status").selectOption("cancelled");
  await expect(page).toHaveURL(/status=cancelled/);
  await page.reload();
  await expect(page.getByLabel("Status")).toHaveValue("cancelled");
  await expect(page.getByRole("region", { name: "Over", exact: true })).toContainText("cancelled");
  await expect(page.getByRole("region", { name: "Waiting", exact: true })).toHaveCount(0);
});

test("a schedule is read in words, made and removed", async ({ page }) => {
  await open(page, `/${PROJECT}/settings?section=schedules`);
  await page.getByLabel("When").fill("15 4 * * 1");
  await expect(page.getByText("At 04:15 UTC, only on Monday")).toBeVisible();
  await page.getByRole("button", { name: "Make schedule" }).click();
  await page.getByRole("button", { name: "Remove 15 4 * * 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("There is none: the newest commit")).toBeVisible();
});

test("a project is made before its first run, and a wrong address is refused beside its field", async ({
  page,
  complaints,
}) => {
  await open(page, "/-/new-project");
  await page.getByLabel("Name").fill(MADE);
  await page.getByLabel("Repository").fill("https://ada:secret@git.example.org/made.git");
  await page.getByRole("button", { name: "Make project" }).click();
  await expect(page.getByRole("alert")).toContainText("without a password");
  // The browser logs the refusal.
  complaints.length = 0;
  await page.getByLabel("Repository").fill("https://git.example.org/made.git");
  await page.getByRole("button", { name: "Make project" }).click();
  await expect(page).toHaveURL(`/${MADE}/machines`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("No machine has measured anything yet.");
});

for (const { scheme, width } of SCREENS) {
  test.describe(`${scheme}, ${width} px`, () => {
    test.use({ colorScheme: scheme, viewport: { width, height: 900 } });

    test("every page of the lab", async ({ page }) => {
      await open(page, `/${PROJECT}/jobs`);
      await inspect(page);
      await page.getByRole("region", { name: "Waiting", exact: true }).getByRole("link").first().click();
      await expect(page.getByRole("heading", { name: "Attempts" })).toBeVisible();
      await inspect(page);
      await page.goto(`/${PROJECT}/machines`);
      await expect(rowOf(page, MACHINE)).toBeVisible();
      await inspect(page);
      await page.goto(`/${PROJECT}/measure`);
      await page.getByRole("radio", { name: /all commits of a range/ }).check();
      await page.getByRole("radio", { name: "chosen machines" }).check();
      await inspect(page);
      await page.goto(`/${PROJECT}/settings?section=schedules`);
      await expect(page.getByRole("heading", { name: "Make a schedule" })).toBeVisible();
      await inspect(page);
      await page.goto("/-/new-project");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("A new project");
      await inspect(page);
    });
  });
}

test("a machine is turned away once it was asked twice", async ({ page }) => {
  await open(page, `/${PROJECT}/machines`);
  await page.getByRole("button", { name: `Turn ${MACHINE} away` }).click();
  await expect(page.getByRole("dialog")).toContainText("needs another code");
  await page.getByRole("dialog").getByRole("button", { name: "Turn away" }).click();
  await expect(rowOf(page, MACHINE)).toHaveCount(0);
});
