/** The percentiles that the API reports, in ascending order, with their names; the median of a few values. */
import type { EnvironmentBegins, Point, SizeProfile } from "@/api/types";
import { formatBytes } from "./units";

/** The name of a percentile in a point's `latency_ns`. */
export type PercentileKey = keyof Point["latency_ns"];

export type Percentile = { key: PercentileKey; label: string };

/** The display name of a percentile: `p99.9`. */
export function percentileName(key: string): string {
  return key === "p999" ? "p99.9" : key;
}

/** The share of values at or below each percentile. */
export const SHARES: Record<PercentileKey, number> = {
  min: 0,
  p25: 0.25,
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p98: 0.98,
  p99: 0.99,
  p999: 0.999,
  max: 1,
};

const PERCENTILES = (Object.keys(SHARES) as PercentileKey[]).map((key) => ({
  key,
  label: percentileName(key),
}));

/**
 * Whether `count` values support a percentile above p50: at least one value is above it. Otherwise, it equals the maximum.
 * This is the rule wherever percentiles are listed.
 */
export function supports(count: number, key: PercentileKey): boolean {
  const share = SHARES[key];
  // Not `count * (1 - share)`, which rounding makes less than 1 for 10 and p90.
  return share <= 0.5 || share === 1 || count - Math.round(count * share * 1e6) / 1e6 >= 1;
}

export function supportedPercentiles(count: number): Percentile[] {
  return PERCENTILES.filter(({ key }) => supports(count, key));
}

/** The median: for an even count, the lower of the two middle values; `null` without values. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

/** A size and its interval; `null`: beyond the measured sizes. */
export type SizeInterval = { x: number; from: number | null; to: number | null };

/** The maximum number of digits, for narrow intervals. */
const DIGITS_MAX = 4;

/** A calculated size: two digits of it, more only where a whole number has more. */
export function sizeOf(bytes: number, digits = 2): string {
  if (bytes < 1024) return formatBytes(Math.round(bytes));
  const unit = 1024 ** Math.floor(Math.log2(bytes) / 10);
  const scaled = bytes / unit;
  const isWhole = Math.round(scaled) >= 10 ** (digits - 1);
  return formatBytes((isWhole ? Math.round(scaled) : Number(scaled.toPrecision(digits))) * unit);
}

/** A size and both ends of its interval, with enough digits to distinguish them. */
export function intervalParts({ x, from, to }: SizeInterval): { size: string; low: string; high: string } {
  const bounds = [from, to].flatMap((bound) => bound ?? []);
  const areDistinct = (digits: number) =>
    bounds.every((bound) => bound === x || sizeOf(bound, digits) !== sizeOf(x, digits));
  let digits = 2;
  while (digits < DIGITS_MAX && !areDistinct(digits)) digits++;
  const text = (bound: number | null) => (bound === null ? "unbounded" : sizeOf(bound, digits));
  return { size: sizeOf(x, digits), low: text(from), high: text(to) };
}

/** The same as one text, with the interval in brackets; a common unit appears once. */
export function intervalText(interval: SizeInterval): string {
  const { size, low, high } = intervalParts(interval);
  const unit = size.split(" ")[1];
  const brief = (text: string) => (text.endsWith(` ${unit}`) ? (text.split(" ")[0] ?? text) : text);
  return `${size} [${brief(low)}, ${brief(high)}]`;
}

type Bucket = SizeProfile["buckets"][number];

/** Buckets of message sizes as bars, with sizes multiplied by `times`; the end of a bar is exclusive. */
export function barsOf(buckets: readonly Bucket[], times = 1) {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const bytes = (size: number) => Math.round(size * times);
  let sum = 0;
  return buckets.map(({ from_bytes, to_bytes, count }) => {
    sum += count;
    const from = bytes(from_bytes);
    const to = Math.max(from + 1, bytes(to_bytes + 1));
    return { from, to, count, cumulative: sum / Math.max(1, total) };
  });
}

/** The share of messages below a size. Sizes within a bucket are assumed equally frequent, as on the server. */
export function shareBelow(buckets: readonly Bucket[], bytes: number): number {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const below = buckets.reduce((sum, { from_bytes, to_bytes, count }) => {
    const part = (bytes - from_bytes) / (to_bytes + 1 - from_bytes);
    return sum + count * Math.min(1, Math.max(0, part));
  }, 0);
  return below / Math.max(1, total);
}

/** Decodes a delta-encoded column. Missing values stay missing. */
export function numbersOf<T extends number | null>(deltas: readonly T[]): T[] {
  let sum = 0;
  return deltas.map((delta) => {
    if (delta === null) return delta;
    sum += delta;
    return sum as T;
  });
}

export function environmentsOf(begins: readonly EnvironmentBegins[], count: number): number[] {
  return begins.flatMap(({ index, environment_id }, place) => {
    const end = begins[place + 1]?.index ?? count;
    return Array.from({ length: end - index }, () => environment_id);
  });
}

/** The number of operations in each non-empty bin of a column. */
export function countsByBin(firstBin: number, counts: readonly number[]): Map<number, number> {
  const byBin = new Map<number, number>();
  let bin = firstBin;
  for (const count of counts) {
    // A negative count skips that many bins.
    if (count < 0) bin -= count;
    else byBin.set(bin++, count);
  }
  return byBin;
}

/** The share of operations in each non-empty bin of a column. */
export function sharesByBin(firstBin: number, counts: readonly number[]): Map<number, number> {
  const byBin = countsByBin(firstBin, counts);
  const total = [...byBin.values()].reduce((sum, count) => sum + count, 0);
  return new Map([...byBin].map(([bin, count]) => [bin, count / Math.max(1, total)]));
}

/** The first and the last bin after leaving out a share of the operations at each end. */
export function centralBins(
  shares: ReadonlyMap<number, number>,
  outside: number,
): [first: number, last: number] {
  const bins = [...shares].sort(([a], [b]) => a - b);
  const endOf = (ordered: readonly [bin: number, share: number][]) => {
    let sum = 0;
    const end = ordered.find(([, share]) => {
      sum += share;
      return sum > outside;
    });
    return end?.[0] ?? 0;
  };
  return [endOf(bins), endOf(bins.toReversed())];
}

/** The bounds of a bin in nanoseconds. */
export function boundsOfBin(bin: number, stepsPerDoubling: number): [from: number, to: number] {
  return [2 ** (bin / stepsPerDoubling), 2 ** ((bin + 1) / stepsPerDoubling)];
}
