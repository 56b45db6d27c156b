/** Layout shift of every page while it loads, on a desktop and on a phone. */
import { type Browser, test } from "@playwright/test";
import { PHONE } from "./support/browser";
import { fullOrQuick, record, remark } from "./support/figures";
import { settled } from "./support/painted";
import { shiftsOf, watchShifts } from "./support/shifts";
import { type PageOf, stored } from "./support/stored";

const ROUNDS = fullOrQuick(3, 1);
const VIEWPORTS = { desktop: { width: 1360, height: 1000 }, phone: PHONE };
/** Shifts are recorded in thousandths, because rows are whole numbers. */
const THOUSANDTHS = 1_000;
const NAMED_MIN = 0.01;

test("stability", async ({ browser, request }) => {
  const { pages } = await stored(request);
  const measured: { page: PageOf; worst: number[] }[] = [];
  for (const page of pages) {
    const worst: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const sums = [];
      for (const device of ["desktop", "phone"] as const) sums.push(await shiftOf(browser, page, device));
      worst.push(Math.max(...sums) * THOUSANDTHS);
    }
    measured.push({ page, worst });
  }
  const peer = { name: "all pages", values: measured.flatMap(({ worst }) => worst) };
  for (const { page, worst } of measured) {
    record({ key: "layout-shift", variant: page.name, values: worst, peer });
  }
});

async function shiftOf(
  browser: Browser,
  { name, address }: PageOf,
  device: keyof typeof VIEWPORTS,
): Promise<number> {
  const page = await browser.newPage({ viewport: VIEWPORTS[device] });
  await watchShifts(page);
  await page.goto(address);
  await settled(page);
  const { sum, shifts } = await shiftsOf(page);
  for (const { value, nodes } of shifts.filter((shift) => shift.value >= NAMED_MIN)) {
    remark(`${name}, ${device}: ${value.toFixed(3)} by ${nodes.slice(0, 3).join(" and ")}`);
  }
  await page.close();
  return sum;
}
