/** Times when the lines of the first chart were painted, measured in the page from the start of the navigation. */
import type { Browser, BrowserContextOptions, Page } from "@playwright/test";

/** The number of painted lines over time, and the time of the first tooltip, in milliseconds since the navigation started. */
type Seen = { lines: { count: number; at_ms: number }[]; tooltip_ms: number | null };

declare global {
  interface Window {
    benchSeen?: Seen;
  }
}

export const CHART = "main svg.recharts-surface, main svg.bare-chart";
const LINES = "path.curve, path.bare-line";
/** A shorter path, such as a line through two points, does not count as a line of a chart. */
const PATH_LENGTH_MIN = 40;
const TOOLTIP = "main .crosshair-tooltip";

/** Makes a page record its painted lines and its first tooltip. */
export async function watch(page: Page): Promise<void> {
  await page.addInitScript(
    ([chart, lines, tooltip, minLength]) => {
      const seen: Seen = { lines: [], tooltip_ms: null };
      window.benchSeen = seen;
      let last = 0;
      // In the next frame, queue a message, which arrives after the browser has painted it.
      const afterPaint = (then: () => void) =>
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = then;
          port2.postMessage(null);
        });
      const look = () => {
        const first = document.querySelector(chart);
        const all = first === null ? [] : [...first.querySelectorAll(lines)];
        const count = all.filter((line) => (line.getAttribute("d") ?? "").length > minLength).length;
        if (count !== last) {
          last = count;
          afterPaint(() => seen.lines.push({ count, at_ms: performance.now() }));
        }
        if (seen.tooltip_ms === null && document.querySelector(tooltip) !== null) {
          seen.tooltip_ms = -1;
          afterPaint(() => {
            seen.tooltip_ms = performance.now();
          });
        }
      };
      new MutationObserver(look).observe(document, {
        childList: true,
        subtree: true,
        attributes: true,
        attributeFilter: ["d"],
      });
    },
    [CHART, LINES, TOOLTIP, PATH_LENGTH_MIN] as const,
  );
}

/** Opens a page and returns the number of lines in its first chart once no more data arrives. */
export async function countLines(page: Page, address: string): Promise<number> {
  await page.goto(address);
  await page.waitForFunction(() => (window.benchSeen?.lines.length ?? 0) > 0, undefined, { polling: "raf" });
  // More lines may appear while resources arrive.
  await settled(page);
  return page.evaluate(() => window.benchSeen?.lines.at(-1)?.count ?? 0);
}

/**
 * Opens an address once to warm up the server, and returns the number of lines in its first chart.
 *
 * @throws without lines.
 */
export async function warmedUp(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<number> {
  const page = await browser.newPage(options);
  await watch(page);
  const lines = await countLines(page, address);
  await page.close();
  if (lines === 0) throw new Error(`${address} shows no lines.`);
  return lines;
}

/** Waits until a loaded page has requested nothing for a second. The stream of events stays open, so the network is never idle. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let quiet = 0;
        let count = performance.getEntriesByType("resource").length;
        const timer = setInterval(() => {
          const now = performance.getEntriesByType("resource").length;
          quiet = now === count ? quiet + 1 : 0;
          count = now;
          if (quiet === 10) {
            clearInterval(timer);
            resolve();
          }
        }, 100);
      }),
  );
}

/** Opens a page and returns the milliseconds until it has painted this number of lines. */
export async function firstChart(page: Page, address: string, lines: number): Promise<number> {
  await page.goto(address, { waitUntil: "commit" });
  const found = await page.waitForFunction(
    (count) => window.benchSeen?.lines.find((seen) => seen.count >= count)?.at_ms,
    lines,
    { polling: "raf", timeout: 60_000 },
  );
  return (await found.jsonValue()) ?? 0;
}

/** Moves the pointer over the chart, and returns the milliseconds from the start of the navigation until a tooltip is shown. */
export async function firstTooltip(page: Page): Promise<number> {
  const box = await page.locator(CHART).first().boundingBox();
  if (box === null) throw new Error("The chart is not on the screen.");
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const found = await page.waitForFunction(
    () => ((window.benchSeen?.tooltip_ms ?? -1) >= 0 ? window.benchSeen?.tooltip_ms : null),
    undefined,
    { polling: "raf", timeout: 60_000 },
  );
  return (await found.jsonValue()) ?? 0;
}
