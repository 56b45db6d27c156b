/** The test function of this folder. Each worker reads the measured data and signs in once. */
import type { BrowserContext } from "@playwright/test";
import { signIn } from "../../e2e/support/account";
import { test as base, expect } from "../../e2e/support/test";
import { variable } from "../../e2e/support/variable";
import { type Measured, measured } from "./measured";

type WorkerFixtures = { measured: Measured; cookies: Awaited<ReturnType<BrowserContext["cookies"]>> };

export const test = base.extend<object, WorkerFixtures>({
  measured: [
    async ({ playwright }, use) => {
      const request = await playwright.request.newContext({ baseURL: required("ROUNDTRIP_URL") });
      await use(await measured(request, required("ROUNDTRIP_PROJECT")));
      await request.dispose();
    },
    { scope: "worker" },
  ],
  cookies: [
    async ({ browser }, use) => {
      const page = await browser.newPage({ baseURL: required("ROUNDTRIP_URL") });
      await page.goto("/-/sign-in");
      await signIn(page, required("ROUNDTRIP_USER_TOKEN"));
      await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Sign in");
      const cookies = await page.context().cookies();
      await page.close();
      await use(cookies);
    },
    { scope: "worker" },
  ],
});

/** Returns an environment variable that the command sets. */
export function required(name: string): string {
  return variable(name, "run `cargo xtask screenshots`");
}

export { expect } from "@playwright/test";
