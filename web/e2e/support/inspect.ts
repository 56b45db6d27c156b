/** Checks for every page: accessibility, and no horizontal overflow. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./test";

/** The checked colour schemes and widths. */
export const SCREENS = [
  { scheme: "light", width: 1360 },
  { scheme: "dark", width: 1360 },
  { scheme: "light", width: 390 },
  { scheme: "dark", width: 390 },
] as const;

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
