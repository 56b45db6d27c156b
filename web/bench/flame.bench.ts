/** Time until a flame graph of 50,000 frames is drawn, and the cost of hovering over it. Its profile replaces the server's. */
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, expect, type Locator, type Page, test } from "@playwright/test";
import { aRegression } from "@/test/fixtures";
import { largeProfile } from "../mock/world/profile";
import { answersOf } from "./support/answers";
import { fullOrQuick, percentile, record } from "./support/figures";
import { settled } from "./support/painted";
import { tasksDuring, workOfMoves } from "./support/trace";

const ROUNDS = fullOrQuick(5, 2);
const MOVES = fullOrQuick(200, 60);
/** Longer than a frame, so that each move is painted separately. */
const PACE_MS = 25;
const FRAMES = 50_000;

declare global {
  interface Window {
    /** When the canvas was painted first. */
    benchPainted_ms?: number;
  }
}

test("flame graph", async ({ browser, request }) => {
  const { projects } = await answersOf(request)("/api/v1/projects", "limit=1");
  const address = `/${projects[0]?.project}/regressions/1`;
  const first: number[] = [];
  const parsed: number[] = [];
  const moves: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage();
    await answer(page);
    await page.goto(address);
    first.push(await firstDrawing(page));
    parsed.push(await parsing(page));
    moves.push(await hover(browser, page, page.getByRole("application")));
    bare.push(await hover(browser, page, page.getByRole("banner")));
    await page.close();
  }
  record({
    key: "first-flame",
    variant: "",
    values: first,
    peer: { name: "JSON.parse of it", values: parsed },
  });
  record({
    key: "hover-flame",
    variant: "",
    values: moves,
    peer: { name: "over the page's header", values: bare },
  });
});

/** Answers for a regression with a large profile, and records when the canvas is painted. */
async function answer(page: Page): Promise<void> {
  const explanation = {
    base_sha: "a".repeat(40),
    change_ns: 800,
    findings: [],
    unexplained_ns: 800,
    has_profile: true,
  };
  const regression = aRegression({ regression_id: 1, explanation });
  const profile = JSON.stringify(largeProfile(FRAMES));
  await page.route(/\/api\/v1\/projects\/[^/]+\/regressions\/1$/, (route) =>
    route.fulfill({ json: { regression, change_points: [], culprits: [] } }),
  );
  await page.route(/\/api\/v1\/projects\/[^/]+\/regressions\/1\/profile$/, (route) =>
    route.fulfill({ contentType: "application/json", body: profile }),
  );
  await page.addInitScript(() => {
    const { fillRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillRect = function (...box) {
      // Measured once, then without the detour.
      CanvasRenderingContext2D.prototype.fillRect = fillRect;
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          window.benchPainted_ms = performance.now();
        };
        port2.postMessage(null);
      });
      fillRect.apply(this, box);
    };
  });
}

/** Opens the graph from the page of the regression. */
async function firstDrawing(page: Page): Promise<number> {
  const link = page.getByRole("link", { name: "Flame graph" });
  await link.waitFor();
  await settled(page);
  await link.click();
  await page.waitForFunction(() => window.benchPainted_ms !== undefined, undefined, { polling: "raf" });
  return page.evaluate(() => {
    const loaded = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const profile = loaded.find(({ name }) => name.endsWith("/profile"));
    if (profile === undefined) throw new Error("The page did not load the profile.");
    return (window.benchPainted_ms ?? 0) - profile.responseEnd;
  });
}

/** The time to parse the profile. */
const parsing = (page: Page): Promise<number> =>
  page.evaluate(
    (text) => {
      const begin = performance.now();
      JSON.parse(text);
      return performance.now() - begin;
    },
    JSON.stringify(largeProfile(FRAMES)),
  );

/** The p95 of the work per move along diagonals of an element, in microseconds. */
async function hover(browser: Browser, page: Page, element: Locator): Promise<number> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("The element is not on the screen.");
  const height = Math.min(box.height, (page.viewportSize()?.height ?? box.height) - box.y);
  const tasks = await tasksDuring(browser, page, async () => {
    for (let move = 0; move <= MOVES; move++) {
      await page.mouse.move(box.x + (box.width * move) / MOVES, box.y + (height * (move % 20)) / 20);
      await pause(PACE_MS);
    }
  });
  const moves = workOfMoves(tasks);
  expect(moves.length).toBeGreaterThan(MOVES / 2);
  return percentile(moves, 95);
}
