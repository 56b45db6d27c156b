/** An administrator of the server: `ROUNDTRIP_ADMIN_TOKEN_FILE` names the file with its token. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { APIRequestContext, Page } from "@playwright/test";
import { readReport } from "./report";
import { expect } from "./test";
import { variable } from "./variable";

/**
 * Reads the administrator's token.
 *
 * @throws if the variable is missing.
 */
export function adminToken(): string {
  const path = variable("ROUNDTRIP_ADMIN_TOKEN_FILE", "expected the file with an administrator’s token");
  return readFileSync(path, "utf8").trim();
}

/** The headers of the administrator's requests. */
export const asAdmin = () => ({ authorization: `Bearer ${adminToken()}` });

/** Sends a request as the administrator, and expects success. */
export async function ask(
  request: APIRequestContext,
  method: string,
  path: string,
  data?: unknown,
): Promise<void> {
  const response = await request.fetch(path, { method, headers: asAdmin(), data: data ?? undefined });
  expect(response.ok(), `${method} ${path}: ${await response.text()}`).toBe(true);
}

/** Creates a project with a copy of the report, small enough to need no compression. */
export async function beginProject(request: APIRequestContext, project: string): Promise<void> {
  const report = readReport();
  const run_id = report.run_id.slice(0, -12) + randomBytes(6).toString("hex");
  const results = report.results.filter(({ repetitions }) => repetitions.length > 0).slice(0, 1);
  await ask(request, "PUT", `/api/v1/runs/${run_id}`, { ...report, run_id, results, project });
}

/** Enrols an agent, as `roundtrip enrol` does. */
export async function enrol(request: APIRequestContext, project: string, slug: string): Promise<void> {
  const data = { project, machine: slug, labels: ["lab"] };
  const made = await request.post("/api/v1/enrolments", { headers: asAdmin(), data });
  const { code } = await made.json();
  const { publicKey } = generateKeyPairSync("ed25519");
  const public_key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const machine = { ...readReport().machine, slug };
  const enrolled = await request.post("/api/v1/agents", { data: { code, public_key, machine } });
  expect(enrolled.status(), await enrolled.text()).toBe(201);
}

/** Signs in on the sign-in page. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("User token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Opens the menu with the account and the theme. */
export async function openOptions(page: Page): Promise<void> {
  await page.getByRole("banner").getByLabel("Options").click();
}

/** Opens a page as the administrator. */
export async function openAsAdmin(page: Page, to: string): Promise<void> {
  await page.goto(`/-/sign-in?to=${encodeURIComponent(to)}`);
  await signIn(page, adminToken());
  await expect(page).toHaveURL(to);
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Sign in");
}
