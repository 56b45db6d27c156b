/** A search by ticking: what each value of each facet does to it, so that the text and the boxes say the same. Pure. */
import type { MachineSummary, SeriesFacets } from "@/api/types";
import type { NameKey, Query } from "./query";
import { type Known, meantSizes } from "./queryAsked";

/** The search with a name added or taken away. */
export function withName(query: Query, key: NameKey, name: string, isOn: boolean): Query {
  return { ...query, [key]: toggled(query[key], name, isOn) };
}

/** The search with a number of receivers added or taken away. */
export function withPeers(query: Query, peers: number, isOn: boolean): Query {
  return { ...query, peers: toggled(query.peers, peers, isOn) };
}

/** The search with a message size added or taken away. What was a comparison becomes the sizes that it means here. */
export function withSize(query: Query, bytes: number, isOn: boolean, known: Pick<Known, "facets">): Query {
  const meant = query.size.length === 0 ? [] : meantSizes(query, known);
  const sizes = toggled(meant, bytes, isOn).sort((a, b) => a - b);
  return {
    ...query,
    size: sizes.length === 0 ? [] : [sizes.map((size) => ({ kind: "exact" as const, bytes: size }))],
  };
}

/** Systems with their number of series: those of the machines that run them, of the asked ones where any is. */
export function systemCounts(
  { machine: counts }: Pick<SeriesFacets, "machine">,
  machines: Pick<MachineSummary, "machine" | "os">[],
  query: Query,
): { value: string; series_count: number }[] {
  const bySystem = new Map<string, number>();
  for (const { machine, os } of machines) {
    if (query.machine.length > 0 && !query.machine.includes(machine)) continue;
    const count = counts.find(({ value }) => value === machine)?.series_count ?? 0;
    if (count > 0) bySystem.set(os, (bySystem.get(os) ?? 0) + count);
  }
  return [...bySystem]
    .map(([value, series_count]) => ({ value, series_count }))
    .sort((a, b) => (a.value < b.value ? -1 : 1));
}

function toggled<T>(values: readonly T[], value: T, isOn: boolean): T[] {
  const others = values.filter((other) => other !== value);
  return isOn ? [...others, value] : others;
}
