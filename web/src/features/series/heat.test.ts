import { expect, it } from "vitest";
import { percentileCurve } from "./data";
import { heatColumns, reachOf, shareBeyond } from "./heat";

const chart = {
  series_id: 1,
  point_count: 2,
  commit_count: 2,
  missing_count: 0,
  steps_per_doubling: 8,
  columns: {
    from_ordinals: [4, 4],
    to_ordinals: [4, 4],
    first_bins: [80, 2],
    lossy: [],
    counts: [
      [3, -2, 1],
      [9_999, -10, 1],
    ],
  },
};

it("each column reaches half way to its neighbours and has shares of its own", () => {
  const [first, second] = heatColumns(chart);
  expect([first?.from, first?.to, second?.to]).toEqual([3.5, 6, 8.5]);
  expect([...(first?.shares ?? [])]).toEqual([
    [80, 0.75],
    [83, 0.25],
  ]);
});

it("what is usual leaves out the rarest times, and says how many", () => {
  const columns = heatColumns(chart);
  const usual = reachOf(columns, 8, "usual");
  expect(usual[1]).toBeCloseTo(2 ** (85 / 8));
  expect(reachOf(columns, 8, "all")[1]).toBeCloseTo(2 ** (95 / 8));
  expect(shareBeyond(columns, 8, usual)).toBeCloseTo(0.00005);
  expect(shareBeyond(columns, 8, reachOf(columns, 8, "all"))).toBe(0);
});

it("a percentile curve ends with the slowest operation, as rare as there are operations", () => {
  const bins = [
    { from_ns: 10, to_ns: 20, count: 90 },
    { from_ns: 20, to_ns: 40, count: 0 },
    { from_ns: 40, to_ns: 80, count: 9 },
    { from_ns: 80, to_ns: 160, count: 1 },
  ];
  const curve = percentileCurve(bins);
  expect(curve.map(([x, ns]) => [Math.round(x), ns])).toEqual([
    [1, 10],
    [10, 20],
    [100, 80],
    [100, 160],
  ]);
  expect(percentileCurve([])).toEqual([]);
});
