/** Canary benchmarks and their readings over a machine's runs. Pure. */
import type { CanaryReading } from "@/api/types";
import { ascending, distinct } from "./collections";
import { median } from "./statistics";

const MEANINGS: Record<string, string> = {
  "clock-cost": "one read of the monotonic clock",
  "clock-step": "smallest step between clock reads",
  "null-syscall": "the cheapest system call",
  "cache-line": "moving a cache line to another processor and back",
  wake: "waking a sleeping thread",
  "memcpy-64k": "copying 64 KiB (fits in cache)",
  "memcpy-64m": "copying 64 MiB (exceeds every cache)",
};

export const CANARY_NOTE =
  "Canaries benchmark the machine itself. If they move, the machine changed, not the code.";

/** What a canary measures; its slug if it is unknown. */
export function canaryMeaning(slug: string): string {
  return MEANINGS[slug] ?? slug;
}

/** The canaries with readings; known ones first, in a fixed order. */
export function canariesOf(readings: readonly CanaryReading[]): string[] {
  const known = Object.keys(MEANINGS);
  const rank = (slug: string) => (known.indexOf(slug) + known.length + 1) % (known.length + 1);
  return distinct(readings.flatMap(({ p50_ns }) => Object.keys(p50_ns))).sort(
    (a, b) => ascending(rank(a), rank(b)) || ascending(a, b),
  );
}

/** One reading, with the index of its run from the oldest. */
export type Read = { place: number; p50_ns: number };

export function readingsOf(readings: readonly CanaryReading[], slug: string): Read[] {
  return readings.flatMap(({ p50_ns }, place) => {
    const value = p50_ns[slug];
    return value === undefined ? [] : [{ place, p50_ns: value }];
  });
}

/** Indices of the first runs after each change of environment. */
export function environmentChanges(readings: readonly CanaryReading[]): number[] {
  return readings.flatMap(({ environment_id }, place) => {
    const before = readings[place - 1];
    return before === undefined || before.environment_id === environment_id ? [] : [place];
  });
}

/** The number of newest readings that are compared with those before. */
const NEWEST = 5;

/** The median of the newest readings, compared with that of the readings before. */
export type Drift = { newest_ns: number; before_ns: number; share: number; before_count: number };

/** The drift of a canary within the newest environment; `null` with too few readings. */
export function driftOf(readings: readonly CanaryReading[], slug: string): Drift | null {
  const environment = readings.at(-1)?.environment_id;
  const values = readings.flatMap(({ environment_id, p50_ns }) =>
    environment_id === environment && p50_ns[slug] !== undefined ? [p50_ns[slug]] : [],
  );
  const before = values.slice(0, -NEWEST);
  const [newest_ns, before_ns] = [median(values.slice(-NEWEST)), median(before)];
  if (before.length < NEWEST || newest_ns === null || before_ns === null || before_ns === 0) return null;
  return { newest_ns, before_ns, share: newest_ns / before_ns - 1, before_count: before.length };
}

/** Each canary's readings relative to their median: flat while the machine is stable. */
export function relativeLines(readings: readonly CanaryReading[]): number[][] {
  return canariesOf(readings).flatMap((slug) => {
    const values = readingsOf(readings, slug).map(({ p50_ns }) => p50_ns);
    const middle = median(values);
    return middle === null || middle === 0 ? [] : [values.map((value) => value / middle)];
  });
}
