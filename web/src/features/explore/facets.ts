/** The filters of Explore: values of each facet, with the number of matching series. Pure. */
import type { MachineSummary, SeriesFacets } from "@/api/types";
import { ascending } from "@/lib/collections";
import type { NameKey, Query } from "@/lib/query";
import { type Known, meantSizes } from "@/lib/queryAsked";
import { counted, formatBytesExactly } from "@/lib/units";
import { modeName, placementName, scenarioName } from "@/lib/vocabulary";

/** One filter: its values, each with the search after a click. */
export type Facet = ReturnType<typeof facetsOf>[number];

const NAMES: { key: NameKey; title: string; label: (slug: string) => string }[] = [
  { key: "transport", title: "Transport", label: String },
  { key: "scenario", title: "Scenario", label: scenarioName },
  { key: "machine", title: "Machine", label: String },
  { key: "os", title: "OS", label: String },
  { key: "mode", title: "Mode", label: modeName },
  { key: "placement", title: "Placement", label: placementName },
];

/** The facets of a search: values with series, and selected ones. */
export function facetsOf(query: Query, counts: SeriesFacets, known: Known) {
  const facet = <T extends string | number>(
    title: string,
    counted: { value: T; series_count: number }[],
    ticked: T[],
    label: (value: T) => string,
    withValue: (value: T, isOn: boolean) => Query,
  ) => ({
    title,
    values: shown(counted, ticked).map(({ value, count }) => {
      const isOn = ticked.includes(value);
      return { value: String(value), label: label(value), count, isOn, toggled: withValue(value, !isOn) };
    }),
  });
  const names = NAMES.map(({ key, title, label }) => {
    const found = key === "os" ? systemCounts(counts, known.machines, query) : counts[key];
    const isOffered = (name: string) => isOnSystem(name, query, known) || query.machine.includes(name);
    const offered = key === "machine" ? found.filter(({ value }) => isOffered(value)) : found;
    return facet(title, offered, query[key], label, (name, isOn) => ({
      ...query,
      [key]: toggled(query[key], name, isOn),
    }));
  });
  const meant = query.size.length === 0 ? [] : meantSizes(query, known);
  return [
    ...names,
    facet("Message size", counts.message_bytes, meant, formatBytesExactly, (size, isOn) =>
      withSize(query, meant, size, isOn),
    ),
    facet(
      "Receivers",
      counts.peers,
      query.peers,
      (peers) => counted(peers, "receiver"),
      (peers, isOn) => ({ ...query, peers: toggled(query.peers, peers, isOn) }),
    ),
  ];
}

/** Facets with a choice, and the names of values that all series share. */
export function choicesOf(facets: Facet[]): { choices: Facet[]; same: string[] } {
  const isChoice = ({ values }: Facet) => values.length > 1 || values.some(({ isOn }) => isOn);
  return {
    choices: facets.filter(isChoice),
    same: facets.filter((facet) => !isChoice(facet)).flatMap(({ values: [only] }) => only?.label ?? []),
  };
}

/** The counted values, and selected ones without series. */
function shown<T extends string | number>(counts: { value: T; series_count: number }[], asked: T[]) {
  const counted = counts.map(({ value, series_count }) => ({ value, count: series_count }));
  const missing = asked.filter((value) => counts.every((entry) => entry.value !== value));
  return [...counted, ...missing.map((value) => ({ value, count: 0 }))];
}

function isOnSystem(machine: string, { os }: Query, { machines }: Known): boolean {
  return os.length === 0 || machines.some((entry) => entry.machine === machine && os.includes(entry.os));
}

/** The search with a message size added or removed. A comparison is replaced by its matching sizes. */
function withSize(query: Query, meant: number[], bytes: number, isOn: boolean): Query {
  const sizes = toggled(meant, bytes, isOn).sort((a, b) => a - b);
  return {
    ...query,
    size: sizes.length === 0 ? [] : [sizes.map((size) => ({ kind: "exact" as const, bytes: size }))],
  };
}

/** Operating systems with their number of series, counted on the selected machines if there are any. */
function systemCounts(
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
    .sort((a, b) => ascending(a.value, b.value));
}

function toggled<T>(values: readonly T[], value: T, isOn: boolean): T[] {
  const others = values.filter((other) => other !== value);
  return isOn ? [...others, value] : others;
}
