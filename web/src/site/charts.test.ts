import { expect, it } from "vitest";
import type { HeatMapChart } from "@/api/types";
import { numbersOf } from "@/lib/statistics";
import { aBudgetSeries, aLine } from "@/test/fixtures";
import { cutBudget, cutLine } from "./charts";
import { encoded } from "./columns";
import { cutHeatMap } from "./heatMap";

const ALL = { from: 0, to: Number.POSITIVE_INFINITY, last: 10_000 };
const FIGURES = { quantiles: ["p50", "p99"], repetitions: true, rate: true };

const line = aLine({
  commit_ordinals: encoded([3, 3, 5, 8, 9]),
  environments: [
    { index: 0, environment_id: 1 },
    { index: 3, environment_id: 2 },
  ],
  work_tree_modified: [1],
  lossy: [2, 4],
  point_count: 5,
  latency_ns: {
    min: encoded([1, 1, 1, 1, 1]),
    p50: encoded([10, 11, 50, 13, 14]),
    p99: encoded([90, 91, 92, 93, 94]),
  },
  repetition_p50_ns: {
    q1: encoded([9, 9, 9, 9, 9]),
    median: encoded([10, 11, 50, 13, 14]),
    q3: encoded([20, 20, 20, 20, 20]),
  },
  bytes_per_second: encoded([100, 200, 300, 400, 500]),
});

it("cuts a line to a range of commits", () => {
  const cut = cutLine(line, { ...ALL, from: 5, to: 8 }, FIGURES, 500);
  expect(cut).toMatchObject({
    point_count: 2,
    is_thinned: false,
    kept: null,
    lossy: [0],
    work_tree_modified: [],
  });
  expect(numbersOf(cut.commit_ordinals)).toEqual([5, 8]);
  expect(cut.environments).toEqual([
    { index: 0, environment_id: 1 },
    { index: 1, environment_id: 2 },
  ]);
  expect(cut.latency_ns).toEqual({ p50: [50, -37], p99: [92, 1] });
  expect(numbersOf(cut.bytes_per_second ?? [])).toEqual([300, 400]);
  expect(numbersOf(cut.repetition_p50_ns?.median ?? [])).toEqual([50, 13]);
});

it("leaves out figures that were not requested", () => {
  const cut = cutLine(
    line,
    { ...ALL, last: 1 },
    { quantiles: ["p99"], repetitions: false, rate: false },
    500,
  );
  expect(cut).toMatchObject({ latency_ns: { p99: [94] }, repetition_p50_ns: null, bytes_per_second: null });
  const empty = cutLine(line, { ...ALL, from: 20 }, FIGURES, 500);
  expect(empty).toMatchObject({ point_count: 0, latency_ns: { p50: [], p99: [] }, repetition_p50_ns: null });
});

it("thins a long line and keeps its highest point", () => {
  const count = 1000;
  const ordinals = Array.from({ length: count }, (_, place) => place + 1);
  const values = ordinals.map((ordinal) => (ordinal === 501 ? 9_000 : 100));
  const long = aLine({
    point_count: count,
    commit_ordinals: encoded(ordinals),
    latency_ns: { p50: encoded(values) },
    repetition_p50_ns: null,
    lossy: [500],
    environments: [{ index: 0, environment_id: 1 }],
  });
  const cut = cutLine(long, ALL, { quantiles: ["p50"], repetitions: false, rate: false }, 40);
  expect(cut).toMatchObject({ point_count: count, is_thinned: true });
  const kept = numbersOf(cut.kept ?? []);
  expect(kept.length).toBeLessThanOrEqual(40);
  expect(numbersOf(cut.commit_ordinals)).toEqual(kept.map((place) => place + 1));
  expect(numbersOf(cut.latency_ns?.p50 ?? [])).toEqual(kept.map((place) => values[place]));
  expect(cut.lossy).toEqual([kept.indexOf(500)]);
});

it("cuts stated values with their gaps", () => {
  const stated = aLine({
    ...line,
    latency_ns: null,
    repetition_p50_ns: null,
    bytes_per_second: null,
    stated: {
      center: encoded([1, 2, 3, 4, 5]),
      low: encoded([1, null, 2, null, 4]),
      high: [null, null, null, null, null],
    },
  });
  expect(cutLine(stated, { ...ALL, from: 5 }, FIGURES, 500)).toMatchObject({
    latency_ns: null,
    stated: { center: [3, 1, 1], low: [2, null, 2], high: [null, null, null] },
  });
  expect(cutLine(stated, { ...ALL, from: 20 }, FIGURES, 500)).toMatchObject({
    latency_ns: { p50: [], p99: [] },
    stated: null,
  });
});

it("counts points without a budget among the newest", () => {
  const budget = aBudgetSeries([3, 5, 8]);
  const of = (last: number) => numbersOf(cutBudget(budget, [3, 5, 8, 9], { ...ALL, last }).commit_ordinals);
  expect(of(1)).toEqual([]);
  expect(of(2)).toEqual([8]);
  expect(of(4)).toEqual([3, 5, 8]);
  const { parts_ns, events } = cutBudget(budget, [3, 5, 8, 9], { ...ALL, to: 5 });
  expect(parts_ns.ready.q1).toEqual(budget.parts_ns.ready.q1.slice(0, 2));
  expect(events.waits.mean).toEqual(budget.events.waits.mean.slice(0, 2));
});

const heat: HeatMapChart = {
  series_id: 1,
  point_count: 4,
  missing_count: 0,
  commit_count: 4,
  steps_per_doubling: 8,
  columns: {
    from_ordinals: [1, 1, 1, 1],
    to_ordinals: [1, 1, 1, 1],
    first_bins: [80, 5, -3, 0],
    counts: [[4, -2, 1], [7], [1, 1], [2, -1, 3]],
    lossy: [1],
  },
};

it("selects the columns of a heat map that touch a range", () => {
  const cut = cutHeatMap(heat, { from: 2, to: 3 }, 1000, [1, 2, 3, 3, 4]);
  expect(cut).toMatchObject({ point_count: 3, commit_count: 2, missing_count: 0 });
  expect(cut.columns).toEqual({
    from_ordinals: [2, 1],
    to_ordinals: [2, 1],
    first_bins: [85, -3],
    counts: [[7], [1, 1]],
    lossy: [0],
  });
  expect(cutHeatMap(heat, { from: 9, to: 12 }, 1000, [1, 2, 3, 4]).columns.counts).toEqual([]);
});

it("merges neighbouring columns of a heat map if there are too many", () => {
  const whole = cutHeatMap(heat, { from: 0, to: 9 }, 2, [1, 2, 3, 4]);
  expect(whole).toMatchObject({ point_count: 4, commit_count: 4 });
  expect(whole.columns).toEqual({
    from_ordinals: [1, 2],
    to_ordinals: [2, 2],
    first_bins: [80, 2],
    counts: [
      [4, -2, 1, -1, 7],
      [3, 1, 3],
    ],
    lossy: [0],
  });
});
