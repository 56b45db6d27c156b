/** The percentiles that the API reports, in ascending order, with their names; the median of a few values. */
import type { Point } from "@/api/types";

/** The name of a percentile in a point's `latency_ns`. */
export type PercentileKey = keyof Point["latency_ns"];

/** A percentile and how it is written. */
export type Percentile = { key: PercentileKey; label: string };

/** All of them, the extremes included. */
export const PERCENTILES: Percentile[] = [
  { key: "min", label: "min" },
  { key: "p25", label: "p25" },
  { key: "p50", label: "p50" },
  { key: "p75", label: "p75" },
  { key: "p90", label: "p90" },
  { key: "p98", label: "p98" },
  { key: "p99", label: "p99" },
  { key: "p999", label: "p99.9" },
  { key: "max", label: "max" },
];

/** How many values a percentile needs to be another than the largest of them. */
const VALUES_MIN: Partial<Record<PercentileKey, number>> = { p90: 10, p98: 50, p99: 100, p999: 1000 };

/** The percentiles that so many values tell: of five, p99 is only another name of the largest. */
export function tellingPercentiles(count: number): Percentile[] {
  return PERCENTILES.filter(({ key }) => count >= (VALUES_MIN[key] ?? 1));
}

/** The median: of an even number of values the lower one of the two in the middle; `null` of none. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
