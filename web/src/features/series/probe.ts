/** What a probe saw of each end, over all repetitions. Pure. */
import type { PointDetail } from "@/api/types";
import { endName } from "@/lib/cases";
import { ascending } from "@/lib/collections";
import { formatBytesExactly } from "@/lib/units";

/** One line: how often an end did something, or why that is not known. */
export type ProbeReading = { end: string; what: string; count: number | null; reason: string };

/** Adds up the readings of each end: system calls first, then counters, each the most frequent first. */
export function probeReadings({ repetitions }: PointDetail, senders: number): ProbeReading[] {
  const readings = new Map<string, ProbeReading & { place: number; rank: number }>();
  const add = (
    { place, end }: { place: number; end: string },
    rank: number,
    what: string,
    count: number | null,
    reason = "",
  ) => {
    const key = `${place} ${rank} ${what}`;
    const known = readings.get(key);
    if (known === undefined) readings.set(key, { place, rank, end, what, count, reason });
    else if (known.count !== null) known.count += count ?? 0;
  };
  for (const { ends } of repetitions) {
    for (const [place, observed] of ends.entries()) {
      const end = { place, end: endName(place, ends.length, senders) };
      for (const { name, bytes, count } of observed.system_calls ?? []) {
        add(end, 0, bytes == null ? name : `${name} of ${formatBytesExactly(bytes)}`, count);
      }
      for (const [name, count] of Object.entries(observed.counters ?? {})) add(end, 1, words(name), count);
      for (const [name, reason] of Object.entries(observed.unavailable ?? {}))
        add(end, 2, words(name), null, reason);
    }
  }
  return [...readings.values()]
    .sort(
      (a, b) =>
        a.place - b.place || a.rank - b.rank || (b.count ?? 0) - (a.count ?? 0) || ascending(a.what, b.what),
    )
    .map(({ place: _place, rank: _rank, ...reading }) => reading);
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}
