/** Time until a flame graph of 50,000 frames is drawn, and the cost of hovering over it. Its profile replaces the server's. */
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { aRegression } from "@/test/fixtures";
import { largeProfile } from "../mock/world/profile";
import { answersOf } from "./support/answers";
import { fullOrQuick, percentile, remark } from "./support/figures";
import { tasksDuring, workOfMoves } from "./support/trace";

const ROUNDS = fullOrQuick(5, 2);
const MOVES = fullOrQuick(200, 60);
/** Longer than a frame, so that each move is painted separately. */
const PACE_MS = 25;
const FRAMES = 50_000;
const FIRST_MAX_MS = 300;
const MOVE_MAX_MS = 16;

declare global {
  interface Window {
    /** When the canvas was painted first. */
    benchPainted_ms?: number;
  }
}

test("flame graph", async ({ browser, request }) => {
  const { projects } = await answersOf(request)("/api/v1/projects", "limit=1");
  const address = `/${projects[0]?.project}/regressions/1`;
  const [first, cpu, moves]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage();
    await answer(page);
    await page.goto(address);
    const drawing = await firstDrawing(browser, page);
    first.push(drawing.elapsed_ms);
    cpu.push(drawing.cpu_ms);
    moves.push(await hover(browser, page));
    await page.close();
  }
  const median = (values: number[]) => percentile(values, 50).toFixed(1);
  remark(
    `flame graph of ${FRAMES} frames: drawn ${median(first)} ms after its profile arrived, bar ${FIRST_MAX_MS} ms; ` +
      `from the click ${median(cpu)} ms of CPU time`,
  );
  remark(`pointer move over that graph, p95: ${median(moves)} ms of CPU time, bar ${MOVE_MAX_MS} ms`);
});

/** Answers for a regression with a large profile, and records when the canvas is painted. */
async function answer(page: Page): Promise<void> {
  const explanation = { base_sha: "a".repeat(40), change_ns: 800, findings: [], unexplained_ns: 800 };
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

/** Opens the graph from the page of the regression. The CPU time is that of the page's main thread. */
async function firstDrawing(browser: Browser, page: Page) {
  const link = page.getByRole("link", { name: "Compare the profiles" });
  await link.waitFor();
  await page.waitForLoadState("networkidle");
  const tasks = await tasksDuring(browser, page, async () => {
    await link.click();
    await page.waitForFunction(() => window.benchPainted_ms !== undefined, undefined, { polling: "raf" });
  });
  const elapsed_ms = await page.evaluate(() => {
    const loaded = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const profile = loaded.find(({ name }) => name.endsWith("/profile"));
    if (profile === undefined) throw new Error("The page did not load the profile.");
    return (window.benchPainted_ms ?? 0) - profile.responseEnd;
  });
  return { elapsed_ms, cpu_ms: tasks.reduce((sum, { us }) => sum + us, 0) / 1_000 };
}

/** The p95 of the work per move along diagonals of the graph, in milliseconds. */
async function hover(browser: Browser, page: Page): Promise<number> {
  const graph = page.getByRole("application");
  const box = await graph.boundingBox();
  if (box === null) throw new Error("The flame graph is not on the screen.");
  const height = Math.min(box.height, (page.viewportSize()?.height ?? box.height) - box.y);
  const tasks = await tasksDuring(browser, page, async () => {
    for (let move = 0; move <= MOVES; move++) {
      await page.mouse.move(box.x + (box.width * move) / MOVES, box.y + (height * (move % 20)) / 20);
      await pause(PACE_MS);
    }
  });
  const moves = workOfMoves(tasks);
  expect(moves.length).toBeGreaterThan(MOVES / 2);
  return percentile(moves, 95) / 1_000;
}
