/** Cost of hovering, zooming and panning on a chart with 1,000 commits, and of hovering over 50 sparklines. */
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { BarePages } from "./support/bare";
import { fullOrQuick, percentile, record, remark } from "./support/figures";
import { CHART, countLines, watch } from "./support/painted";
import { exploreAddress, stored } from "./support/stored";
import { longest, tasksDuring, workOfMoves } from "./support/trace";

const ROUNDS = fullOrQuick(5, 2);
const MOVES = fullOrQuick(200, 60);
/** The pause between two moves: longer than a frame, so that each is painted separately. Polling the page would add work. */
const PACE_MS = 25;
/** Moves of one drag, and wheel steps in each direction. */
const DRAG_MOVES = 30;
const WHEEL_STEPS = 10;
const KEYS = [
  "ArrowLeft",
  "ArrowLeft",
  "PageDown",
  "Home",
  "End",
  "ArrowRight",
  "PageUp",
  "+",
  "+",
  "-",
  "0",
];

/** The sparklines that Explore shows at first. */
const SPARKLINES = 50;

/** The time that the effects of a gesture may take. */
const SETTLE_MS = 400;

/** Of each round, in microseconds: the p95 of the work per move, and the longest task of each gesture. */
type Measured = { p95s: number[]; gestures: Map<string, number>[] };

test("pointer", async ({ browser, request }) => {
  const { wide } = await stored(request);
  const bare = await BarePages.start();
  const addresses = [wide.address, await bare.draw(request, wide.series, 1_000)];
  const [chart, lines] = [empty(), empty()];
  const grid: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    grid.push(await measureGrid(browser));
    await measure(browser, addresses[0] ?? "", chart);
    await measure(browser, addresses[1] ?? "", lines);
  }
  bare.close();
  const name = "bare lines with an empty listener";
  record({ key: "hover", variant: "", values: chart.p95s, peer: { name, values: lines.p95s } });
  record({ key: "hover-grid", variant: "", values: grid, peer: { name: "the chart", values: chart.p95s } });
  const worst = (round: Map<string, number>) => Math.max(...round.values());
  record({
    key: "zoom",
    variant: "",
    values: chart.gestures.map(worst),
    peer: { name, values: lines.gestures.map(worst) },
  });
  for (const gesture of Object.keys(GESTURES)) {
    const us = percentile(
      chart.gestures.map((round) => round.get(gesture) ?? 0),
      50,
    );
    remark(`longest task of ${gesture}: ${(us / 1000).toFixed(1)} ms`);
  }
});

const empty = (): Measured => ({ p95s: [], gestures: [] });

async function measure(browser: Browser, address: string, { p95s, gestures }: Measured): Promise<void> {
  const page = await browser.newPage();
  await watch(page);
  await countLines(page, address);
  const moves = workOfMoves(await tasksDuring(browser, page, () => hover(page)));
  // The browser merges moves that are faster than frames. Most moves must arrive separately.
  expect(moves.length).toBeGreaterThan(MOVES / 2);
  p95s.push(percentile(moves, 95));
  gestures.push(await zoom(browser, page));
  await page.close();
}

/** Returns the p95 of the work per move along the first of fifty sparklines; all of them mark the same commit. */
async function measureGrid(browser: Browser): Promise<number> {
  const page = await browser.newPage();
  await page.goto(exploreAddress);
  const sparklines = page.locator("main tbody svg.sparkline");
  await expect.poll(() => sparklines.count()).toBeGreaterThanOrEqual(SPARKLINES);
  const box = await sparklines.first().boundingBox();
  if (box === null) throw new Error("The sparkline is not on the screen.");
  const tasks = await tasksDuring(browser, page, async () => {
    for (let move = 0; move <= MOVES; move++) {
      await page.mouse.move(box.x + (box.width * move) / MOVES, box.y + box.height / 2);
      await pause(PACE_MS);
    }
  });
  await page.close();
  return percentile(workOfMoves(tasks), 95);
}

async function areaOf(page: Page) {
  const chart = page.locator(CHART).first();
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  if (box === null) throw new Error("The chart is not on the screen.");
  const at = (share: number) => box.x + box.width * (0.12 + 0.7 * share);
  return { at, middle: box.y + box.height / 2 };
}

async function hover(page: Page): Promise<void> {
  const { at, middle } = await areaOf(page);
  for (let move = 0; move <= MOVES; move++) {
    await page.mouse.move(at(move / MOVES), middle);
    await pause(PACE_MS);
  }
}

/** Gestures that may zoom or pan a chart, or reset it. */
const GESTURES: Record<string, (page: Page) => Promise<void>> = {
  drag: async (page) => {
    const { at, middle } = await areaOf(page);
    await page.mouse.move(at(0.3), middle);
    await page.mouse.down();
    for (let move = 0; move <= DRAG_MOVES; move++) {
      await page.mouse.move(at(0.3 + (0.3 * move) / DRAG_MOVES), middle);
      await pause(PACE_MS);
    }
    await page.mouse.up();
  },
  wheel: async (page) => {
    const { at, middle } = await areaOf(page);
    await page.mouse.move(at(0.5), middle);
    for (const delta of [120, -120]) {
      for (let step = 0; step < WHEEL_STEPS; step++) {
        await page.mouse.wheel(delta, 0);
        await pause(PACE_MS);
      }
    }
  },
  keys: async (page) => {
    const slider = page.getByRole("slider").first();
    if ((await slider.count()) > 0) await slider.focus();
    for (const key of KEYS) {
      await page.keyboard.press(key);
      await pause(PACE_MS);
    }
  },
  "double click": async (page) => {
    const { at, middle } = await areaOf(page);
    await page.mouse.dblclick(at(0.5), middle);
  },
};

async function zoom(browser: Browser, page: Page): Promise<Map<string, number>> {
  const all = new Map<string, number>();
  for (const [name, gesture] of Object.entries(GESTURES)) {
    const tasks = await tasksDuring(browser, page, async () => {
      await gesture(page);
      await pause(SETTLE_MS);
    });
    all.set(name, longest(tasks));
  }
  return all;
}
