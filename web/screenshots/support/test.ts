/** The test function of this folder: what the server has measured, and who looks at it, are asked once. */
import type { BrowserContext } from "@playwright/test";
import { signIn } from "../../e2e/support/account";
import { test as base, expect } from "../../e2e/support/test";
import { variable } from "../../e2e/support/variable";
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
      await signIn(page, asked("ROUNDTRIP_USER_TOKEN"));
      await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
      const cookies = await page.context().cookies();
      await page.close();
      await use(cookies);
    },
    { scope: "worker" },
  ],
});

/** A variable of the command. */
export function asked(name: string): string {
  return variable(name, "run `cargo xtask screenshots`");
}

export { expect } from "@playwright/test";
