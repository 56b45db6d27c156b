/** Distributions as curves over percentiles. Pure. */
import type { HistogramBin } from "@/api/types";

/** Each end of a bin, with one over the share of the operations that take longer: 100 for the 99th percentile. */
export function percentileCurve(bins: HistogramBin[]): (readonly [x: number, ns: number])[] {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const first = bins[0];
  if (first === undefined || total === 0) return [];
  let sum = 0;
  const inner = bins.flatMap(({ to_ns, count }) => {
    sum += count;
    // All operations do not exceed the end of the last bin: no share is left to be one over.
    return count === 0 || sum === total ? [] : [[total / (total - sum), to_ns] as const];
  });
  const last = bins.findLast(({ count }) => count > 0) ?? first;
  return [[1, Math.max(1, first.from_ns)], ...inner, [Math.max(total, 2), last.to_ns]];
}
