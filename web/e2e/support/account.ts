/** An administrator of the server: `ROUNDTRIP_ADMIN_TOKEN_FILE` names the file with its token. */
import { readFileSync } from "node:fs";
import type { APIRequestContext } from "@playwright/test";
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
