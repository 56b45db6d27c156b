/** What the pointer costs on a chart with 1,000 commits: moving over it, zooming, panning; and over fifty small ones. */
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { BarePages } from "./support/bare";
import { keep, percentile, remark, turns } from "./support/figures";
import { CHART, linesOf, watch } from "./support/painted";
import { exploreAddress, stored } from "./support/stored";
import { longest, tasksDuring, workOfMoves } from "./support/trace";

const TURNS = turns(5, 2);
const MOVES = turns(200, 60);
/** Between two moves: more than a frame, so that each is seen and painted by itself. Asking the page would be work, too. */
const PACE_MS = 25;
/** Moves of one drag, and turns of the wheel sideways, each way. */
const DRAG_MOVES = 30;
const WHEEL_TURNS = 10;
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

/** As many as Explore shows at first. */
const SPARKLINES = 50;

/** How long what a gesture leads to may take to come. */
const SETTLE_MS = 400;

/** Of each turn: the work that 95 of 100 moves are not above, and the longest piece of each gesture, in microseconds. */
type Measured = { p95s: number[]; gestures: Map<string, number>[] };

test("pointer", async ({ browser, request }) => {
  const { wide } = await stored(request);
  const bare = await BarePages.start();
  const addresses = [wide.address, await bare.draw(request, wide.series, 1_000)];
  const [chart, lines] = [empty(), empty()];
  const grid: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    grid.push(await measureGrid(browser));
    await measure(browser, addresses[0] ?? "", chart);
    await measure(browser, addresses[1] ?? "", lines);
  }
  bare.close();
  const name = "bare lines with an empty listener";
  keep({ key: "hover", of: "", values: chart.p95s, peer: { name, values: lines.p95s } });
  keep({ key: "hover-grid", of: "", values: grid, peer: { name: "the chart", values: chart.p95s } });
  const worst = (turn: Map<string, number>) => Math.max(...turn.values());
  keep({
    key: "zoom",
    of: "",
    values: chart.gestures.map(worst),
    peer: { name, values: lines.gestures.map(worst) },
  });
  for (const gesture of Object.keys(GESTURES)) {
    const us = percentile(
      chart.gestures.map((turn) => turn.get(gesture) ?? 0),
      50,
    );
    remark(`the longest piece of work of ${gesture}: ${(us / 1000).toFixed(1)} ms`);
  }
});

const empty = (): Measured => ({ p95s: [], gestures: [] });

async function measure(browser: Browser, address: string, { p95s, gestures }: Measured): Promise<void> {
  const page = await browser.newPage();
  await watch(page);
  await linesOf(page, address);
  const moves = workOfMoves(await tasksDuring(browser, page, () => hover(page)));
  // Moves that come faster than frames are handed to the page together; most must be seen for what each costs.
  expect(moves.length).toBeGreaterThan(MOVES / 2);
  p95s.push(percentile(moves, 95));
  gestures.push(await zoom(browser, page));
  await page.close();
}

/** The work that 95 of 100 moves along the first of fifty sparklines are not above: all of them show the same commit. */
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

/** What zooms or pans a chart, or may: a stretch dragged over, the wheel, the keys of a chart, and a way back. */
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
      for (let turn = 0; turn < WHEEL_TURNS; turn++) {
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
