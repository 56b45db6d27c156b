/** The percentiles that the API reports, in ascending order, with their names. */
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
