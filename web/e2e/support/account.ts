/** An administrator of the server: `ROUNDTRIP_ADMIN_TOKEN_FILE` names the file with its token. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { APIRequestContext, Page } from "@playwright/test";
import { readReport } from "./report";
import { expect } from "./test";

/**
 * Reads the administrator's token.
 *
 * @throws if the variable is missing.
 */
export function adminToken(): string {
  const path = process.env.ROUNDTRIP_ADMIN_TOKEN_FILE;
  if (path === undefined || path === "") {
    throw new Error(
      "ROUNDTRIP_ADMIN_TOKEN_FILE is not set: expected the file with an administrator’s token.",
    );
  }
  return readFileSync(path, "utf8").trim();
}

/** Sends a request as the administrator, and expects success. */
export async function ask(
  request: APIRequestContext,
  method: string,
  path: string,
  data?: unknown,
): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken()}` };
  const response = await request.fetch(path, { method, headers, data: data ?? undefined });
  expect(response.ok(), `${method} ${path}: ${await response.text()}`).toBe(true);
}

/** Creates a project with a copy of the report, small enough to need no compression. */
export async function beginProject(request: APIRequestContext, project: string): Promise<void> {
  const report = readReport();
  const run_id = report.run_id.slice(0, -12) + randomBytes(6).toString("hex");
  const results = report.results.filter(({ repetitions }) => repetitions.length > 0).slice(0, 1);
  await ask(request, "PUT", `/api/v1/runs/${run_id}`, { ...report, run_id, results, project });
}

/** Signs in on the sign-in page. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("User token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}
