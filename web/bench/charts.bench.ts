/** How soon the first chart of a series page is on the screen, and answers to the pointer. */
import { type Browser, test } from "@playwright/test";
import { BarePages } from "./support/bare";
import { keep, remark, turns } from "./support/figures";
import { firstChart, firstTooltip, linesOf, watch } from "./support/painted";
import { SERIES_TOGETHER, stored } from "./support/stored";

const TURNS = turns(9, 3);

/** Times of one page, on the first and on a repeated visit. */
type Times = { address: string; lines: number; cold: number[]; warm: number[]; tooltip: number[] };

test("first chart", async ({ browser, request }) => {
  const { wide, long } = await stored(request);
  const bare = await BarePages.start();
  const first = await prepare(browser, wide.address);
  const firstBare = await prepare(browser, await bare.draw(request, wide.series, 1_000));
  const deep = await prepare(browser, long.address);
  const deepBare = await prepare(browser, await bare.draw(request, long.series, 10_000));
  for (let turn = 0; turn < TURNS; turn++) {
    for (const times of [first, firstBare, deep, deepBare]) await open(browser, times, times === first);
  }
  bare.close();
  remark(`the first chart has ${first.lines} lines with 1,000 commits, ${deep.lines} with 10,000`);
  const peer = (values: number[]) => ({ name: `${SERIES_TOGETHER} bare lines of the same points`, values });
  keep({ key: "first-chart", of: "cold", values: first.cold, peer: peer(firstBare.cold) });
  keep({ key: "first-chart", of: "warm", values: first.warm, peer: peer(firstBare.warm) });
  keep({
    key: "first-tooltip",
    of: "",
    values: first.tooltip,
    peer: { name: "the chart", values: first.warm },
  });
  keep({ key: "first-deep-chart", of: "cold", values: deep.cold, peer: peer(deepBare.cold) });
  keep({ key: "first-deep-chart", of: "warm", values: deep.warm, peer: peer(deepBare.warm) });
});

/** Opens a page once as warm-up of the server. */
async function prepare(browser: Browser, address: string): Promise<Times> {
  const page = await browser.newPage();
  await watch(page);
  const lines = await linesOf(page, address);
  await page.close();
  if (lines === 0) throw new Error(`${address} draws no lines.`);
  return { address, lines, cold: [], warm: [], tooltip: [] };
}

async function open(browser: Browser, { address, lines, cold, warm, tooltip }: Times, isPointedAt: boolean) {
  const page = await browser.newPage();
  await watch(page);
  cold.push(await firstChart(page, address, lines));
  await page.waitForLoadState("load");
  warm.push(await firstChart(page, address, lines));
  if (isPointedAt) tooltip.push(await firstTooltip(page));
  await page.close();
}
