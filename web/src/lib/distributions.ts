/**
 * Two distributions compared: curves from histogram bins, and the shift at each percentile. Pure.
 *
 * The shift function is the change of each percentile from before to after (Doksum 1974). The shift of the repetitions is
 * estimated by ranks, as in comparisons: the median of the logarithms of all ratios after / before (Hodges and Lehmann
 * 1963), with the interval of the shifts that the rank test of Mann and Whitney does not reject at 5 %, by its normal
 * approximation (Hollander, Wolfe and Chicken 2014, section 4.3).
 */
import type { HistogramBin, PointDetail, RepetitionDetail } from "@/api/types";
import { ascending } from "./collections";
import { type PercentileKey, SHARES, supportedPercentiles, supports } from "./statistics";

export const VIEWS = ["density", "ecdf", "tail"] as const;
export type View = (typeof VIEWS)[number];

export type Positions = readonly (readonly [x: number, y: number])[];

/** The bins of the API are an eighth of a doubling wide. */
const BINS_PER_DOUBLING = 8;
/** The share of operations at each end outside the central range. */
const OUTSIDE = 0.0005;

/** A distribution as a line over time. */
export function curveOf(bins: readonly HistogramBin[], view: View): Positions {
  switch (view) {
    case "density":
      return densityOf(bins);
    case "ecdf":
      return [[startOf(bins), 0], ...endsOf(bins).map(({ x, share }) => [x, share] as const)];
    case "tail":
      return tailOf(bins);
  }
}

/** The share of operations in each bin, as stairs. Whole nanoseconds make short bins uneven: shares are per bin width. */
function densityOf(bins: readonly HistogramBin[]): Positions {
  const total = countOf(bins);
  const stairs = bins.flatMap(({ from_ns, to_ns, count }) => {
    const from = Math.max(1, from_ns);
    if (to_ns <= from) return [];
    const share = count / total / (BINS_PER_DOUBLING * Math.log2(to_ns / from));
    return [[from, share] as const, [to_ns, share] as const];
  });
  return [[startOf(bins), 0], ...stairs, [bins.at(-1)?.to_ns ?? 1, 0]];
}

/** The share of slower operations at the end of each bin; it ends with the slowest operation. */
function tailOf(bins: readonly HistogramBin[]): Positions {
  const inner = endsOf(bins).flatMap(({ x, slower }) => (slower === 0 ? [] : [[x, slower] as const]));
  const last = bins.findLast(({ count }) => count > 0);
  return [[startOf(bins), 1], ...inner, [last?.to_ns ?? 1, 1 / countOf(bins)]];
}

/** The end of each bin, with the shares of operations up to it and above it. */
function endsOf(bins: readonly HistogramBin[]) {
  const total = countOf(bins);
  let sum = 0;
  return bins.map(({ to_ns, count }) => {
    sum += count;
    return { x: Math.max(1, to_ns), share: sum / total, slower: (total - sum) / total };
  });
}

/** A quantile, interpolated within its bin on a logarithmic axis. */
export function quantileOf(bins: readonly HistogramBin[], share: number): number {
  const [first, ...ends] = curveOf(bins, "ecdf");
  let [from, below] = first ?? [1, 0];
  for (const [to, reached] of ends) {
    if (reached >= share && reached > below)
      return from * (to / from) ** ((share - below) / (reached - below));
    [from, below] = [to, reached];
  }
  return from;
}

/** The range with all but 0.05 % of each distribution at each end. */
export function centralRange(sides: readonly HistogramBin[][]): [from: number, to: number] {
  return [
    Math.min(...sides.map((bins) => quantileOf(bins, OUTSIDE))),
    Math.max(...sides.map((bins) => quantileOf(bins, 1 - OUTSIDE))),
  ];
}

export function wholeRange(sides: readonly HistogramBin[][]): [from: number, to: number] {
  return [Math.min(...sides.map(startOf)), Math.max(...sides.map((bins) => bins.at(-1)?.to_ns ?? 1))];
}

/** The value of a line at a position: outside, that of the nearer end. Beyond the slowest operation, a tail is 0. */
export function valueAt(points: Positions, view: View, at: number): number {
  if (view === "tail" && at > (points.at(-1)?.[0] ?? 0)) return 0;
  return (points.findLast(([x]) => x <= at) ?? points[0])?.[1] ?? 0;
}

/** Where the name of a line is clear, from its left to its right: at its mode, its median or its slowest tenth. */
export function labelPlace(
  bins: readonly HistogramBin[],
  view: View,
): { from: number; to: number; y: number } {
  const at = (x: number, y: number) => ({ from: x, to: x, y });
  switch (view) {
    case "density": {
      const points = curveOf(bins, view);
      const y = Math.max(...points.map(([, share]) => share));
      const top = points.filter(([, share]) => share === y).map(([x]) => x);
      return { from: top[0] ?? 1, to: top[1] ?? 1, y };
    }
    case "ecdf":
      return at(quantileOf(bins, 0.5), 0.5);
    case "tail":
      return at(quantileOf(bins, 0.9), 0.1);
  }
}

/** The change of a percentile. */
export type Shift = {
  key: PercentileKey;
  label: string;
  before_ns: number;
  after_ns: number;
  /** After relative to before, over all operations, as a share. */
  change: number;
  /** The same by repetitions; `null` if they do not record the percentile. */
  repeated: Repeated | null;
};

type Repeated = { change: number; interval: [low: number, high: number] | null };

/** Percentiles that do not depend on the number of operations. */
const SHIFTED = ["p25", "p50", "p75", "p90", "p98", "p99", "p999"];

/** The shift of each percentile that both sides support. */
export function shiftsOf(before: PointDetail, after: PointDetail): Shift[] {
  return supportedPercentiles(Math.min(before.point.count, after.point.count)).flatMap(({ key, label }) => {
    const [before_ns, after_ns] = [before.point.latency_ns[key], after.point.latency_ns[key]];
    if (!SHIFTED.includes(key) || before_ns <= 0) return [];
    const change = after_ns / before_ns - 1;
    return [{ key, label, before_ns, after_ns, change, repeated: repeatedShift(key, before, after) }];
  });
}

/** The position of a percentile on an axis that is logarithmic in the share of slower operations. */
export function percentileX(key: PercentileKey): number {
  return 1 / (1 - SHARES[key]);
}

function repeatedShift(key: PercentileKey, before: PointDetail, after: PointDetail): Repeated | null {
  const [first, second] = [before, after].map(({ repetitions }) =>
    repetitions.flatMap((repetition) => {
      const value = percentileOfRepetition(repetition, key);
      return value === null || value <= 0 ? [] : [Math.log(value)];
    }),
  ) as [number[], number[]];
  const shift = rankShift(first, second);
  if (shift === null) return null;
  const { estimate, interval } = shift;
  return {
    change: Math.expm1(estimate),
    interval: interval === null ? null : [Math.expm1(interval[0]), Math.expm1(interval[1])],
  };
}

function percentileOfRepetition({ p50_ns, p99_ns, count }: RepetitionDetail, key: PercentileKey) {
  if (key === "p50") return p50_ns;
  return key === "p99" && supports(count, key) ? p99_ns : null;
}

/** The quantile of the normal distribution for 95 %. */
const Z = 1.96;

/** The shift between two samples by ranks; the interval is `null` with too few values, the shift without values. */
export function rankShift(first: readonly number[], second: readonly number[]) {
  const differences = second.flatMap((to) => first.map((from) => to - from)).sort(ascending);
  const pairs = differences.length;
  if (pairs === 0) return null;
  const middle = (pairs - 1) / 2;
  const estimate = ((differences[Math.floor(middle)] ?? 0) + (differences[Math.ceil(middle)] ?? 0)) / 2;
  const spread = Math.sqrt((pairs * (first.length + second.length + 1)) / 12);
  // The number of differences beyond each end, counted from 1.
  const rank = Math.floor(pairs / 2 - Z * spread);
  const [low, high] = [differences[rank - 1], differences[pairs - rank]];
  const interval = low === undefined || high === undefined ? null : ([low, high] as [number, number]);
  return { estimate, interval };
}

function startOf(bins: readonly HistogramBin[]): number {
  return Math.max(1, bins[0]?.from_ns ?? 1);
}

function countOf(bins: readonly HistogramBin[]): number {
  return Math.max(
    1,
    bins.reduce((sum, { count }) => sum + count, 0),
  );
}
