/** Whether the interface keeps what it leaves: memory over many navigations within it. */
import { type CDPSession, expect, type Page, test } from "@playwright/test";
import { launchOptions } from "./support/browser";
import { keep, remark, turns } from "./support/figures";
import { stored } from "./support/stored";

const NAVIGATIONS = turns(100, 40);
/** How many of the first and last are compared. Comparing whole rounds over all pages would take too long. */
const COMPARED = turns(20, 10);
/** Rounds over all pages before measuring, to fill the caches. */
const WARM_UP_ROUNDS = turns(2, 1);

type Left = { heap_kib: number; nodes: number; listeners: number };

// The longer scripts run, the more machine code the browser makes of them, in the same heap: some 10 KiB a navigation that
// the interface does not keep. So they are only interpreted.
test.use({ launchOptions: launchOptions("--js-flags=--no-sparkplug --no-maglev --no-opt") });

test("memory", async ({ page, request }) => {
  const { pages } = await stored(request);
  const session = await page.context().newCDPSession(page);
  const addresses = pages.map(({ address }) => address);
  await page.goto(addresses[0] ?? "/");
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const address of addresses) await navigate(page, address);
  }
  // Pages differ in what they hold, so it is always the same one that is looked at.
  const left: Left[] = [];
  for (let navigation = 0; navigation < NAVIGATIONS; navigation++) {
    await navigate(page, addresses[1 + (navigation % (addresses.length - 1))] ?? "/");
    await navigate(page, addresses[0] ?? "/");
    left.push(await whatIsLeft(session));
  }
  const values = (of: keyof Left) => left.map((entry) => entry[of]);
  for (const of of ["heap_kib", "nodes", "listeners"] as const) {
    const all = values(of);
    remark(
      `${of}: ${all[0]} after the first navigation, ${all.at(-1)} after the last, at most ${Math.max(...all)}`,
    );
    const peer = { name: `the first ${COMPARED}`, values: all.slice(0, COMPARED) };
    keep({ key: of, of: `${NAVIGATIONS}`, values: all.slice(-COMPARED), peer });
  }
});

async function navigate(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => window.history.pushState({}, "", to), address);
  await expect(page).toHaveURL((url) => url.pathname === new URL(address, url).pathname);
  await expect(page.locator("main h1")).toBeVisible();
  await expect(page.locator("main .skeleton")).toHaveCount(0);
}

async function whatIsLeft(session: CDPSession): Promise<Left> {
  // What has a finalizer is freed by the second.
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
  return { heap_kib: Math.round(usedSize / 1024), nodes, listeners: jsEventListeners };
}
