import { expect, it } from "vitest";
import { aBudgetSeries } from "@/test/fixtures";
import {
  budgetsOf,
  elapsedNs,
  formatEvents,
  newestBudgets,
  overlapText,
  partsIn,
  percent,
  sharesOf,
  sharesText,
  stackedNs,
} from "./budget";

/** The only budget of a series. */
function only(...change: Parameters<typeof aBudgetSeries> extends [unknown, ...infer Rest] ? Rest : never) {
  const [budget] = budgetsOf(aBudgetSeries([7], ...change));
  if (budget === undefined) throw new Error("no budget");
  return budget;
}

const NONE = { mean: [0], q1: [0], q3: [0] };

it("reads the newest run of each commit", () => {
  const series = aBudgetSeries([3, 5, 5, 9]);
  series.parts_ns.asleep.mean = [1, 2, 3, 4];
  const budgets = budgetsOf(series);
  expect(budgets.map(({ ordinal, parts_ns }) => [ordinal, parts_ns.asleep.mean])).toEqual([
    [3, 1],
    [5, 3],
    [9, 4],
  ]);
  expect(budgets[0]?.parts_ns.sender_kernel).toEqual({ mean: 5000, q1: 4500, q3: 5500 });
  expect(budgets[0]?.events).toMatchObject({ waits: { mean: 2 }, migrations: null });
});

it("has nothing without points", () => {
  const empty = aBudgetSeries([]);
  expect(budgetsOf(empty)).toEqual([]);
  expect(newestBudgets({ series: [empty] }).size).toBe(0);
  expect(newestBudgets(undefined).size).toBe(0);
  expect(partsIn([])).toEqual([]);
});

it("keeps the newest budget of each series", () => {
  const other = { ...aBudgetSeries([4, 8]), series_id: 2 };
  const newest = newestBudgets({ series: [aBudgetSeries([]), other] });
  expect([...newest].map(([id, { ordinal }]) => [id, ordinal])).toEqual([[2, 8]]);
});

it("subtracts the overlap, which the parts have twice", () => {
  expect(stackedNs(only())).toBe(11_000);
  expect(elapsedNs(only())).toBe(10_000);
  expect(overlapText(only())).toBe("both sides ran together for 10 % of the time");
  expect(overlapText(only({ overlap: NONE }))).toBeNull();
});

it("divides all parts among four shares that add up", () => {
  const shares = sharesOf(only());
  expect(shares.map(({ name }) => name)).toEqual(["sender", "receiver", "waiting", "asleep"]);
  expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  expect(sharesText(only())).toBe("sender 50 %, receiver 40 %, waiting 9 %, asleep 1 %");
});

it("does not mention waiting that the system does not count", () => {
  const budget = only({ ready: NONE });
  expect(sharesText(budget)).toBe("sender 55 %, receiver 44 %, asleep 1 %");
  expect(partsIn([budget]).map(({ key }) => key)).not.toContain("ready");
  expect(partsIn([budget, only()])).toHaveLength(6);
});

it("has no shares of no time", () => {
  const none = Object.fromEntries(Object.keys(only().parts_ns).map((key) => [key, NONE]));
  expect(sharesText(only(none))).toBe("");
});

it.each([
  [0, "0 %"],
  [0.0001, "< 1 %"],
  [0.126, "13 %"],
  [1, "100 %"],
])("writes the share %f as %s", (share, text) => {
  expect(percent(share)).toBe(text);
});

it.each([
  [0, "0"],
  [0.00002, "< 0.001"],
  [0.00613, "0.006"],
  [2.0061, "2.01"],
  [1234.5, "1,235"],
])("writes %f events as %s", (count, text) => {
  expect(formatEvents(count)).toBe(text);
});
