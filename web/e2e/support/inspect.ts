/** Checks for every page: accessibility, and no horizontal overflow. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./test";

/** Declares tests for both colour schemes, on a wide and a narrow screen. */
export function onEveryScreen(declare: () => void): void {
  for (const width of [1360, 390]) {
    for (const colorScheme of ["light", "dark"] as const) {
      test.describe(`${colorScheme}, ${width} px`, () => {
        test.use({ colorScheme, viewport: { width, height: 900 } });
        declare();
      });
    }
  }
}

/** Opens a page, waits for a part of it, and checks the page. */
export async function inspectAt(page: Page, path: string, part: Locator): Promise<void> {
  await page.goto(path);
  await expect(part).toBeVisible();
  await inspect(page);
}

/** Checks the current page. */
export async function inspect(page: Page): Promise<void> {
  const overflow_px = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow_px).toBe(0);
  // Legacy mode opens no second page for the results. It leaves out frames of other origins, which no page has.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(
    violations.map(({ id, help, nodes }) => ({ id, help, targets: nodes.map(({ target }) => target) })),
  ).toEqual([]);
}
