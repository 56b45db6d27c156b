/** Layout shifts of a page, without those that follow an input. */
import type { Page } from "@playwright/test";

/** A shift with the elements that moved. */
type Shift = { value: number; nodes: string[] };

declare global {
  interface Window {
    benchShifts?: Shift[];
  }
}

/** Makes a page record its layout shifts. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    type Entry = PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Element | null }[];
    };
    const shifts: Shift[] = [];
    window.benchShifts = shifts;
    const nameOf = ({ node }: Entry["sources"][number]) =>
      node instanceof Element ? `${node.localName}.${node.className}` : "removed";
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Entry[]) {
        if (!hadRecentInput) shifts.push({ value, nodes: sources.map(nameOf) });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/** The shifts so far, and their sum: at least the cumulative layout shift, which counts only the worst five seconds. */
export async function shiftsOf(page: Page): Promise<{ sum: number; shifts: Shift[] }> {
  const shifts = await page.evaluate(() => window.benchShifts ?? []);
  return { sum: shifts.reduce((sum, { value }) => sum + value, 0), shifts };
}
