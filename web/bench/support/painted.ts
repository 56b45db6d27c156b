/** When the lines of the first chart were painted, measured in the page from the navigation start. */
import type { Page } from "@playwright/test";

/** How many lines were seen when, in milliseconds since the navigation began; and when there first was a tooltip. */
type Seen = { lines: { count: number; at_ms: number }[]; tooltip_ms: number | null };

declare global {
  interface Window {
    benchSeen?: Seen;
  }
}

export const CHART = "main svg.recharts-surface, main svg.bare-chart";
const LINES = "path.curve, path.bare-line";
/** A line through two points is no chart yet. */
const PATH_LENGTH_MIN = 40;
const TOOLTIP = "main .crosshair-tooltip";

export async function watch(page: Page): Promise<void> {
  await page.addInitScript(
    ([chart, lines, tooltip, least]) => {
      const seen: Seen = { lines: [], tooltip_ms: null };
      window.benchSeen = seen;
      let last = 0;
      // The next frame, and then when that was handed over to be shown.
      const afterPaint = (then: () => void) =>
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = then;
          port2.postMessage(null);
        });
      const look = () => {
        const first = document.querySelector(chart);
        const all = first === null ? [] : [...first.querySelectorAll(lines)];
        const count = all.filter((line) => (line.getAttribute("d") ?? "").length > least).length;
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

/** The number of lines in the first chart once the page is stable. */
export async function linesOf(page: Page, address: string): Promise<number> {
  await page.goto(address);
  await page.waitForFunction(() => (window.benchSeen?.lines.length ?? 0) > 0, undefined, { polling: "raf" });
  await page.waitForLoadState("load");
  // As long as something comes in, more lines may.
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
  return page.evaluate(() => window.benchSeen?.lines.at(-1)?.count ?? 0);
}

/** Opens a page and returns the milliseconds until this number of lines was on the screen. */
export async function firstChart(page: Page, address: string, lines: number): Promise<number> {
  await page.goto(address, { waitUntil: "commit" });
  const found = await page.waitForFunction(
    (count) => window.benchSeen?.lines.find((seen) => seen.count >= count)?.at_ms,
    lines,
    { polling: "raf", timeout: 60_000 },
  );
  return (await found.jsonValue()) ?? 0;
}

/** Points at the chart as soon as it is there: how many milliseconds after the navigation began a tooltip was shown. */
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
