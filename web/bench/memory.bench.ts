/** Memory growth of the interface over many navigations. */
import { type CDPSession, expect, type Page, test } from "@playwright/test";
import { launchOptions } from "./support/browser";
import { fullOrQuick, record, remark } from "./support/figures";
import { stored } from "./support/stored";

const NAVIGATIONS = fullOrQuick(100, 40);
/** Navigations to compare, at the start and at the end. Comparing whole rounds over all pages would take too long. */
const COMPARED = fullOrQuick(20, 10);
/** Rounds over all pages before measuring, to fill the caches. */
const WARM_UP_ROUNDS = fullOrQuick(2, 1);

type Usage = { heap_kib: number; nodes: number; listeners: number };

// The browser stores the machine code that it compiles from scripts in the same heap, about 10 KiB per navigation. This is
// not a leak, so compilation is off.
test.use({ launchOptions: launchOptions("--js-flags=--no-sparkplug --no-maglev --no-opt") });

test("memory", async ({ page, request }) => {
  const { pages } = await stored(request);
  const session = await page.context().newCDPSession(page);
  const addresses = pages.map(({ address }) => address);
  await page.goto(addresses[0] ?? "/");
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const address of addresses) await navigate(page, address);
  }
  // Pages need different amounts of memory, so always measure on the same one.
  const usages: Usage[] = [];
  for (let navigation = 0; navigation < NAVIGATIONS; navigation++) {
    await navigate(page, addresses[1 + (navigation % (addresses.length - 1))] ?? "/");
    await navigate(page, addresses[0] ?? "/");
    usages.push(await measureUsage(session));
  }
  const values = (key: keyof Usage) => usages.map((usage) => usage[key]);
  for (const key of ["heap_kib", "nodes", "listeners"] as const) {
    const all = values(key);
    remark(
      `${key}: ${all[0]} after the first navigation, ${all.at(-1)} after the last, max ${Math.max(...all)}`,
    );
    const peer = { name: `the first ${COMPARED}`, values: all.slice(0, COMPARED) };
    record({ key, variant: `${NAVIGATIONS}`, values: all.slice(-COMPARED), peer });
  }
});

async function navigate(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => window.history.pushState({}, "", to), address);
  await expect(page).toHaveURL((url) => url.pathname === new URL(address, url).pathname);
  await expect(page.locator("main h1")).toBeVisible();
  await expect(page.locator("main .skeleton")).toHaveCount(0);
}

async function measureUsage(session: CDPSession): Promise<Usage> {
  // The second collection frees objects with finalizers.
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
  return { heap_kib: Math.round(usedSize / 1024), nodes, listeners: jsEventListeners };
}
