/** Time until a series page shows its first chart, and until the chart shows a tooltip. */
import { type Browser, test } from "@playwright/test";
import { BarePages } from "./support/bare";
import { fullOrQuick, record, remark } from "./support/figures";
import { firstChart, firstTooltip, warmedUp, watch } from "./support/painted";
import { SERIES_TOGETHER, stored } from "./support/stored";

const ROUNDS = fullOrQuick(9, 3);

/** Times of one page, on the first visit (cold) and after a reload (warm). */
type Times = { address: string; lines: number; cold: number[]; warm: number[]; tooltip: number[] };

test("first chart", async ({ browser, request }) => {
  const { wide, long } = await stored(request);
  const bare = await BarePages.start();
  const first = await prepare(browser, wide.address);
  const firstBare = await prepare(browser, await bare.draw(request, wide.series, 1_000));
  const deep = await prepare(browser, long.address);
  const deepBare = await prepare(browser, await bare.draw(request, long.series, 10_000));
  for (let round = 0; round < ROUNDS; round++) {
    for (const times of [first, firstBare, deep, deepBare]) await open(browser, times, times === first);
  }
  bare.close();
  remark(`the first chart has ${first.lines} lines with 1,000 commits, ${deep.lines} with 10,000`);
  const peer = (values: number[]) => ({ name: `${SERIES_TOGETHER} bare lines of the same points`, values });
  record({ key: "first-chart", variant: "cold", values: first.cold, peer: peer(firstBare.cold) });
  record({ key: "first-chart", variant: "warm", values: first.warm, peer: peer(firstBare.warm) });
  record({
    key: "first-tooltip",
    variant: "",
    values: first.tooltip,
    peer: { name: "the chart", values: first.warm },
  });
  record({ key: "first-deep-chart", variant: "cold", values: deep.cold, peer: peer(deepBare.cold) });
  record({ key: "first-deep-chart", variant: "warm", values: deep.warm, peer: peer(deepBare.warm) });
});

async function prepare(browser: Browser, address: string): Promise<Times> {
  return { address, lines: await warmedUp(browser, address), cold: [], warm: [], tooltip: [] };
}

async function open(browser: Browser, { address, lines, cold, warm, tooltip }: Times, hasTooltip: boolean) {
  const page = await browser.newPage();
  await watch(page);
  cold.push(await firstChart(page, address, lines));
  await page.waitForLoadState("load");
  warm.push(await firstChart(page, address, lines));
  if (hasTooltip) tooltip.push(await firstTooltip(page));
  await page.close();
}
