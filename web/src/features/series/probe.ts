/** What a probe saw of each end, over all repetitions. Pure. */
import type { PointDetail } from "@/api/types";
import { ascending } from "@/lib/collections";
import { formatBytesExactly } from "@/lib/units";

/** One line: how often an end did something, or why that is not known. */
export type ProbeReading = { end: string; what: string; count: number | null; reason: string };

/** Adds up the readings of each end: system calls first, then counters, each the most frequent first. */
export function probeReadings({ repetitions }: PointDetail): ProbeReading[] {
  const readings = new Map<string, ProbeReading & { rank: number }>();
  const add = (rank: number, end: string, what: string, count: number | null, reason = "") => {
    const key = `${end} ${rank} ${what}`;
    const known = readings.get(key);
    if (known === undefined) readings.set(key, { rank, end, what, count, reason });
    else if (known.count !== null) known.count += count ?? 0;
  };
  for (const { ends } of repetitions) {
    for (const [index, observed] of ends.entries()) {
      const end = index === 0 ? "sender" : ends.length > 2 ? `receiver ${index}` : "receiver";
      for (const { name, bytes, count } of observed.system_calls ?? []) {
        add(0, end, bytes == null ? name : `${name} of ${formatBytesExactly(bytes)}`, count);
      }
      for (const [name, count] of Object.entries(observed.counters ?? {})) add(1, end, words(name), count);
      for (const [name, reason] of Object.entries(observed.unavailable ?? {}))
        add(2, end, words(name), null, reason);
    }
  }
  return [...readings.values()]
    .sort(
      (a, b) =>
        Number(b.end === "sender") - Number(a.end === "sender") ||
        ascending(a.end, b.end) ||
        a.rank - b.rank ||
        (b.count ?? 0) - (a.count ?? 0) ||
        ascending(a.what, b.what),
    )
    .map(({ rank: _, ...reading }) => reading);
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}
