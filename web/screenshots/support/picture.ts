/** Saves a picture of a fully loaded page. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { required } from "./test";

/** Loading placeholders. */
const UNFINISHED = 'main .skeleton, main [aria-busy="true"], dialog .skeleton, dialog [aria-busy="true"]';
/** Identical screenshots in a row, after which a page is stable. */
const SAME_SCREENSHOTS = 3;
/** The WebP quality: small text is still crisp. */
const QUALITY = 0.8;

/** Waits until the page is complete, and saves a picture with this file name. */
export async function savePicture(page: Page, name: string): Promise<void> {
  await expect(page.locator(UNFINISHED)).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
  await writeFile(
    join(required("ROUNDTRIP_PICTURES"), `${name}.webp`),
    await webp(page, await stableScreenshot(page)),
  );
}

/** Returns a screenshot once the page no longer changes. */
async function stableScreenshot(page: Page): Promise<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  let same = 0;
  await expect
    .poll(async () => {
      const screenshot = await page.screenshot({ caret: "hide" });
      same = screenshot.equals(last) ? same + 1 : 1;
      last = screenshot;
      return same;
    })
    .toBeGreaterThanOrEqual(SAME_SCREENSHOTS);
  return last;
}

/** Converts a picture to WebP in a separate browser page. */
async function webp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage();
  const base64 = await blank.evaluate(
    async ({ source, quality }) => {
      const bytes = Uint8Array.from(atob(source), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: "image/webp", quality });
      const letters = Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) =>
        String.fromCharCode(byte),
      );
      return btoa(letters.join(""));
    },
    { source: png.toString("base64"), quality: QUALITY },
  );
  await blank.close();
  return Buffer.from(base64, "base64");
}
