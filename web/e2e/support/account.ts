/** An administrator of the server: `ROUNDTRIP_ADMIN_TOKEN_FILE` names the file with its token. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { APIRequestContext, Page } from "@playwright/test";
import { readReport } from "./report";
import { expect } from "./test";

/**
 * Reads the administrator's token.
 *
 * @throws when the variable is missing: without the token nobody can sign in.
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

/** Asks the API as the administrator, and expects to be served. */
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

/** Begins a project: with another run of the report, so small that it needs no compression. */
export async function beginProject(request: APIRequestContext, project: string): Promise<void> {
  const report = readReport();
  const run_id = report.run_id.slice(0, -12) + randomBytes(6).toString("hex");
  const results = report.results.filter(({ repetitions }) => repetitions.length > 0).slice(0, 1);
  await ask(request, "PUT", `/api/v1/runs/${run_id}`, { ...report, run_id, results, project });
}

/** Signs in on the page for it. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Your token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}
