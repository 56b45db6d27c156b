/** A phone: the first chart over a slow network, and the time from an input to the next frame, on a slowed processor. */
import { type Browser, type Page, test } from "@playwright/test";
import { BarePages } from "./support/bare";
import { PHONE } from "./support/browser";
import { fullOrQuick, percentile, record } from "./support/figures";
import { firstChart, settled, warmedUp, watch } from "./support/painted";
import { SERIES_TOGETHER, stored } from "./support/stored";

const ROUNDS = fullOrQuick(5, 2);
const SLOWDOWN = 4;
/** 1.6 Mbit/s, with the latency of a mobile network. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
/** Between two inputs: longer than the effects of one. */
const PACE_MS = 150;
/** The shortest duration that browsers report. */
const DURATION_MIN_MS = 16;

declare global {
  interface Window {
    benchInteractions?: Map<number, number>;
  }
}

test("phone", async ({ browser, request }) => {
  const { wide } = await stored(request);
  const bare = await BarePages.start();
  const bareAddress = await bare.draw(request, wide.series, 1_000);
  const first: number[] = [];
  const firstBare: number[] = [];
  const lines = await warmedUp(browser, wide.address, { viewport: PHONE });
  for (let round = 0; round < ROUNDS; round++) {
    first.push(await chartOnPhone(browser, wide.address, lines));
    firstBare.push(await chartOnPhone(browser, bareAddress, SERIES_TOGETHER));
  }
  bare.close();
  record({
    key: "phone-first-chart",
    variant: "cold",
    values: first,
    peer: { name: `${SERIES_TOGETHER} bare lines on the same phone`, values: firstBare },
  });
  const [slowed, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    slowed.push(percentile(await interactions(browser, wide.address, lines, SLOWDOWN), 95));
    plain.push(percentile(await interactions(browser, wide.address, lines, 1), 95));
  }
  const peer = { name: "the same, not slowed", values: plain };
  record({ key: "interaction", variant: "", values: slowed, peer });
});

async function chartOnPhone(browser: Browser, address: string, lines: number): Promise<number> {
  const page = await browser.newPage({ viewport: PHONE });
  await watch(page);
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", NETWORK);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  const time = await firstChart(page, address, lines);
  await page.close();
  return time;
}

/** The time of each interaction with a series page, from the input to the next frame. */
async function interactions(
  browser: Browser,
  address: string,
  lines: number,
  rate: number,
): Promise<number[]> {
  const page = await browser.newPage();
  await watch(page);
  await page.addInitScript((durationThreshold) => {
    const longest = new Map<number, number>();
    window.benchInteractions = longest;
    new PerformanceObserver((list) => {
      type Entry = PerformanceEntry & { interactionId: number };
      for (const { duration, interactionId } of list.getEntries() as Entry[]) {
        if (interactionId > 0)
          longest.set(interactionId, Math.max(duration, longest.get(interactionId) ?? 0));
      }
    }).observe({ type: "event", buffered: true, durationThreshold } as PerformanceObserverInit);
  }, DURATION_MIN_MS);
  await firstChart(page, address, lines);
  await settled(page);
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
  const count = await act(page);
  const found = await page.evaluate(() => [...(window.benchInteractions?.values() ?? [])]);
  await page.close();
  // Shorter interactions are not reported.
  return [...found, ...Array.from({ length: Math.max(0, count - found.length) }, () => DURATION_MIN_MS)];
}

/** Steps through commits, shows the table, and searches in the palette. Returns the number of inputs. */
async function act(page: Page): Promise<number> {
  const keys = ["End", "ArrowLeft", "ArrowLeft", "PageUp", "Home", "ArrowRight", "+", "+", "-", "0"];
  const typed = [..."pipe 64", "Backspace", "ArrowDown", "Escape"];
  const press = async (key: string) => {
    await page.keyboard.press(key);
    await page.waitForTimeout(PACE_MS);
  };
  for (const key of [...keys, "/", ...typed]) await press(key);
  // Clicking the locator would run the test's own checks between the pointer events.
  for (let click = 0; click < 2; click++) {
    const box = await page.getByRole("button", { name: "Table" }).first().boundingBox();
    if (box === null) throw new Error("The button is not on the screen.");
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(PACE_MS);
  }
  return keys.length + 1 + typed.length + 2;
}
