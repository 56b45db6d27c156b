import { expect, it } from "vitest";
import { ridgeRows } from "./RidgeChart";

const columns = (count: number) =>
  Array.from({ length: count }, (_, x) => ({ from: x, to: x + 1, x, shares: new Map<number, number>() }));

it("has a row per commit, newest first, and evenly spaced ones of many", () => {
  expect(ridgeRows(columns(3)).map(({ x }) => x)).toEqual([2, 1, 0]);
  const rows = ridgeRows(columns(100)).map(({ x }) => x);
  expect(rows.length).toBeLessThanOrEqual(32);
  expect(rows.slice(0, 3)).toEqual([99, 95, 91]);
});
