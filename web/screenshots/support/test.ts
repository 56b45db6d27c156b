/** The test function of this folder: what the server has measured, and who looks at it, are asked once. */
import type { BrowserContext } from "@playwright/test";
import { test as base, expect } from "../../e2e/support/test";
import { type Measured, measured } from "./measured";

type Asked = { stored: Measured; cookies: Awaited<ReturnType<BrowserContext["cookies"]>> };

export const test = base.extend<object, Asked>({
  stored: [
    async ({ playwright }, use) => {
      const request = await playwright.request.newContext({ baseURL: asked("ROUNDTRIP_URL") });
      await use(await measured(request, asked("ROUNDTRIP_PROJECT")));
      await request.dispose();
    },
    { scope: "worker" },
  ],
  cookies: [
    async ({ browser }, use) => {
      const page = await browser.newPage({ baseURL: asked("ROUNDTRIP_URL") });
      await page.goto("/-/sign-in");
      await page.getByLabel("User token").fill(asked("ROUNDTRIP_USER_TOKEN"));
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
      const cookies = await page.context().cookies();
      await page.close();
      await use(cookies);
    },
    { scope: "worker" },
  ],
});

/**
 * What a variable says.
 *
 * @throws when it is missing.
 */
export function asked(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === "") throw new Error(`${variable} is not set.`);
  return value;
}

export { expect } from "@playwright/test";
