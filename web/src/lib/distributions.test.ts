import { describe, expect, it } from "vitest";
import { aPoint, aPointDetail, aRepetition } from "@/test/fixtures";
import {
  centralRange,
  curveOf,
  labelPlace,
  percentileX,
  quantileOf,
  rankShift,
  shiftsOf,
  valueAt,
} from "./distributions";

const bin = (from_ns: number, to_ns: number, count: number) => ({ from_ns, to_ns, count });
const BINS = [bin(1024, 2048, 90), bin(2048, 4096, 0), bin(4096, 8192, 10)];

describe("curveOf", () => {
  it("divides the density by the width of a bin", () => {
    expect(curveOf(BINS, "density")).toEqual([
      [1024, 0],
      [1024, 0.9 / 8],
      [2048, 0.9 / 8],
      [2048, 0],
      [4096, 0],
      [4096, 0.1 / 8],
      [8192, 0.1 / 8],
      [8192, 0],
    ]);
  });
  it("ends the cumulative share at 1, and the tail with one operation", () => {
    expect(curveOf(BINS, "ecdf")).toEqual([
      [1024, 0],
      [2048, 0.9],
      [4096, 0.9],
      [8192, 1],
    ]);
    expect(curveOf(BINS, "tail")).toEqual([
      [1024, 1],
      [2048, 0.1],
      [4096, 0.1],
      [8192, 0.01],
    ]);
  });
  it("has no infinite density for values of 0", () => {
    expect(curveOf([bin(0, 1, 5), bin(1, 2, 5)], "density").every(([, y]) => Number.isFinite(y))).toBe(true);
  });
});

it("interpolates quantiles within a bin", () => {
  expect(quantileOf(BINS, 0.45)).toBeCloseTo(1024 * Math.SQRT2);
  expect(quantileOf(BINS, 0.95)).toBeCloseTo(4096 * Math.SQRT2);
});

it("keeps the central range of both sides", () => {
  const tail = [bin(1024, 2048, 99_999), bin(2048, 65_536, 1)];
  const [from, to] = centralRange([tail, [bin(4096, 8192, 10)]]);
  expect(from).toBeLessThan(1030);
  expect(to).toBeGreaterThan(8000);
  expect(to).toBeLessThanOrEqual(8192);
});

it.each([
  ["density", [0, 0, 0, 0]],
  ["ecdf", [0, 0.9, 0.9, 1]],
  ["tail", [1, 0.1, 0.1, 0]],
] as const)("has values of %s also outside the line", (view, values) => {
  const points = curveOf(BINS, view);
  expect([500, 2048, 3000, 10_000].map((at) => valueAt(points, view, at))).toEqual(values);
});

it("names a density next to its mode, and a tail at the slowest tenth", () => {
  expect(labelPlace(BINS, "density")).toEqual({ from: 1024, to: 2048, y: 0.9 / 8 });
  expect(labelPlace(BINS, "tail")).toEqual({ from: 2048, to: 2048, y: 0.1 });
});

describe("rankShift", () => {
  const ten = Array.from({ length: 10 }, (_, index) => index);
  it("finds the shift and the exact interval of a table", () => {
    // Two samples of ten: at 5 %, the interval is from the 24th smallest difference to the 24th largest.
    const differences = ten.flatMap((to) => ten.map((from) => to + 20.5 - from)).sort((a, b) => a - b);
    expect(
      rankShift(
        ten,
        ten.map((value) => value + 20.5),
      ),
    ).toEqual({
      estimate: 20.5,
      interval: [differences[23], differences[76]],
    });
  });
  it("has no interval for three repetitions, and nothing without any", () => {
    expect(rankShift([1, 2, 3], [4, 5, 6])).toEqual({ estimate: 3, interval: null });
    expect(rankShift([1, 2, 3, 4], [11, 12, 13, 14])?.interval).toEqual([7, 13]);
    expect(rankShift([], [1])).toBeNull();
  });
});

describe("shiftsOf", () => {
  const side = (factor: number, count = 2000) =>
    aPointDetail({
      point: aPoint({
        count,
        latency_ns: {
          min: 100,
          p25: 100,
          p50: 200,
          p75: 300,
          p90: 400,
          p98: 500,
          p99: 600,
          p999: 700,
          max: 9e9,
        },
      }),
      repetitions: Array.from({ length: 6 }, (_, index) =>
        aRepetition({
          index,
          p50_ns: 1000 * factor + index,
          p99_ns: 3000 * factor + index,
          count: count / 6,
        }),
      ),
    });
  const slower = (detail: ReturnType<typeof side>, key: "p50" | "p99", ns: number) => ({
    ...detail,
    point: { ...detail.point, latency_ns: { ...detail.point.latency_ns, [key]: ns } },
  });
  it("is the change of each percentile, with the repetitions where they record it", () => {
    const shifts = shiftsOf(side(1), slower(side(1.1), "p99", 900));
    expect(shifts.map(({ label, change }) => [label, Number(change.toFixed(3))])).toEqual([
      ["p25", 0],
      ["p50", 0],
      ["p75", 0],
      ["p90", 0],
      ["p98", 0],
      ["p99", 0.5],
      ["p99.9", 0],
    ]);
    expect(shifts.map(({ key, repeated }) => repeated !== null && key).filter(Boolean)).toEqual([
      "p50",
      "p99",
    ]);
    const { repeated } = shifts[1] ?? {};
    expect(repeated?.change).toBeCloseTo(0.1, 3);
    expect(repeated?.interval?.[0]).toBeGreaterThan(0.09);
    expect(repeated?.interval?.[1]).toBeLessThan(0.11);
  });
  it("omits percentiles that one side does not support, also of repetitions", () => {
    const labels = shiftsOf(side(1, 60), side(1)).map(({ label }) => label);
    expect(labels).toEqual(["p25", "p50", "p75", "p90", "p98"]);
    const [p99] = shiftsOf(side(1, 300), side(1, 300)).filter(({ key }) => key === "p99");
    expect(p99?.repeated).toBeNull();
  });
});

it("places percentiles by the share of slower operations", () => {
  expect(percentileX("p50")).toBe(2);
  expect(percentileX("p99")).toBeCloseTo(100);
});
