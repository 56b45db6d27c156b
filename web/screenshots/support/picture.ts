/** A picture of what is on the screen, once all of it is there. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { asked } from "./test";

/** Loading placeholders. */
const UNFINISHED = 'main .skeleton, main [aria-busy="true"], dialog .skeleton, dialog [aria-busy="true"]';
/** Looks that must have been the same until a page counts as finished. */
const SAME_LOOKS = 3;
/** Of WebP: small text is still crisp. */
const QUALITY = 0.8;

/** Keeps a picture of the page, in a file of this name. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await expect(page.locator(UNFINISHED)).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
  await writeFile(join(asked("ROUNDTRIP_PICTURES"), `${name}.webp`), await webp(page, await atRest(page)));
}

/** What the page looks like when it has stopped to change. */
async function atRest(page: Page): Promise<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  let same = 0;
  await expect
    .poll(async () => {
      const look = await page.screenshot({ caret: "hide" });
      same = look.equals(last) ? same + 1 : 1;
      last = look;
      return same;
    })
    .toBeGreaterThanOrEqual(SAME_LOOKS);
  return last;
}

/** The picture as WebP, converted in a separate browser page. */
async function webp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage();
  const base64 = await blank.evaluate(
    async ({ source, quality }) => {
      const bytes = Uint8Array.from(atob(source), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      const made = await canvas.convertToBlob({ type: "image/webp", quality });
      const letters = Array.from(new Uint8Array(await made.arrayBuffer()), (byte) =>
        String.fromCharCode(byte),
      );
      return btoa(letters.join(""));
    },
    { source: png.toString("base64"), quality: QUALITY },
  );
  await blank.close();
  return Buffer.from(base64, "base64");
}
