/** Takes a picture of every page, light and dark, and of some as on a phone. A page that logs an error fails. */
import { PAGES, row } from "./support/pages";
import { keepPicture } from "./support/picture";
import { expect, test } from "./support/test";

const SCREENS = [
  { suffix: "", viewport: { width: 1360, height: 900 }, deviceScaleFactor: 1 },
  { suffix: "-phone", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
];
const WITHOUT = (process.env.ROUNDTRIP_WITHOUT ?? "").split(",");

for (const { suffix, ...screen } of SCREENS) {
  for (const colorScheme of ["light", "dark"] as const) {
    test.describe(`${colorScheme}${suffix}`, () => {
      test.use({ colorScheme, ...screen });
      for (const { name, at, shows = row, prepare, isOnPhones, isForStrangers } of PAGES) {
        if (WITHOUT.includes(name) || (suffix !== "" && isOnPhones !== true)) continue;
        test(name, async ({ page, stored, cookies }) => {
          if (isForStrangers !== true) await page.context().addCookies(cookies);
          await page.goto(at(stored));
          await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
          await prepare?.(page);
          await expect(shows(page)).toBeVisible();
          await keepPicture(page, `${name}${suffix}-${colorScheme}`);
        });
      }
    });
  }
}
