/** Takes pictures of every page, light and dark, and of some in phone size. Fails if a page logs an error. */
import { PHONE } from "../bench/support/browser";
import { PAGES, row } from "./support/pages";
import { savePicture } from "./support/picture";
import { expect, test } from "./support/test";

const SCREENS = [
  { suffix: "", viewport: { width: 1360, height: 900 }, deviceScaleFactor: 1 },
  { suffix: "-phone", viewport: PHONE, deviceScaleFactor: 2 },
];
const WITHOUT = (process.env.ROUNDTRIP_WITHOUT ?? "").split(",");

for (const { suffix, ...screen } of SCREENS) {
  for (const colorScheme of ["light", "dark"] as const) {
    test.describe(`${colorScheme}${suffix}`, () => {
      test.use({ colorScheme, ...screen });
      for (const { name, address, shows = row, prepare, isOnPhones, isSignedOut } of PAGES) {
        if (WITHOUT.includes(name) || (suffix !== "" && isOnPhones !== true)) continue;
        test(name, async ({ page, measured, cookies }) => {
          if (isSignedOut !== true) await page.context().addCookies(cookies);
          await page.goto(address(measured));
          await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
          await prepare?.(page);
          await expect(shows(page)).toBeVisible();
          await savePicture(page, `${name}${suffix}-${colorScheme}`);
        });
      }
    });
  }
}
