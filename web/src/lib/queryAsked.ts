/**
 * Turns a search into a request, given the facets of a project. Values that no series has are reported and not sent: an
 * empty list would match everything. Pure.
 */
import type { SeriesAsked } from "@/api/queries";
import type { MachineSummary, SeriesFacets } from "@/api/types";
import { EVERYTHING, isOfSize, type Key, type NameKey, type Query, textOfSizeTerm } from "./query";
import { counted, formatBytesExactly } from "./units";

/** The unfiltered facets of a project, and its machines. */
export type Known = { facets: SeriesFacets; machines: Pick<MachineSummary, "machine" | "os">[] };

/** A request, with notes on values that match nothing; or why nothing can match, and the search without that part. */
export type Asked =
  | { kind: "asked"; asked: SeriesAsked; notes: string[] }
  | { kind: "nothing"; because: string; without: Query };

/** The limit of the server for values of one facet. */
const VALUES_MAX = 100;
/** The number of values that a message lists. */
const NAMED_MAX = 8;

export function askedOf(query: Query, known: Known): Asked {
  const notes: string[] = [];
  const asked: SeriesAsked = query.words.length > 0 ? { q: query.words.join(" ") } : {};
  for (const key of ["transport", "scenario", "mode", "placement"] as const) {
    const found = foundNames(key, query, namesOf(known.facets[key]));
    if (found.missing !== null && found.values.length === 0) return nothing(found.missing, query, key);
    if (found.missing !== null) notes.push(found.missing);
    if (found.values.length > 0) asked[key] = found.values.join(",");
  }
  for (const step of [machinesOf(query, known), sizesOf(query, known), peersOf(query, known)]) {
    if (step.kind === "nothing") return step;
    notes.push(...step.notes);
    Object.assign(asked, step.asked);
  }
  return { kind: "asked", asked, notes };
}

/** The message sizes that match a search; all without a size term. */
export function meantSizes(query: Query, { facets }: Pick<Known, "facets">): number[] {
  return facets.message_bytes
    .map(({ value }) => value)
    .filter((bytes) => query.size.every((terms) => terms.some((term) => isOfSize(bytes, term))));
}

function machinesOf(query: Query, { facets, machines }: Known): Asked {
  const here = namesOf(facets.machine);
  const systems = machines.filter(({ machine }) => here.includes(machine));
  const named = foundNames("machine", query, here);
  if (named.missing !== null && named.values.length === 0) return nothing(named.missing, query, "machine");
  const os = foundNames("os", query, [...new Set(systems.map((machine) => machine.os))].sort());
  if (os.missing !== null && os.values.length === 0) return nothing(os.missing, query, "os");
  const notes = [named.missing, os.missing].filter((note) => note !== null);
  if (named.values.length + os.values.length === 0) return { kind: "asked", asked: {}, notes };
  const values = systems
    .filter((machine) => os.values.length === 0 || os.values.includes(machine.os))
    .map(({ machine }) => machine)
    .filter((machine) => named.values.length === 0 || named.values.includes(machine));
  if (values.length === 0) {
    const because = `No match: ${named.values.join(", ")} with os:${os.values.join(",")}`;
    return nothing(because, query, "os");
  }
  return limited("machine", "machines", values, here.length, notes, query);
}

function sizesOf(query: Query, known: Known): Asked {
  if (query.size.length === 0) return { kind: "asked", asked: {}, notes: [] };
  const all = known.facets.message_bytes.map(({ value }) => value);
  const values = meantSizes(query, known);
  if (values.length === 0) {
    const meant = query.size.map((terms) => `size:${terms.map(textOfSizeTerm).join(",")}`).join(" ");
    return nothing(`No series has ${meant}. Available: ${listed(all, formatBytesExactly)}`, query, "size");
  }
  return limited("message_bytes", "sizes", values, all.length, [], query);
}

function peersOf(query: Query, { facets }: Known): Asked {
  const all = facets.peers.map(({ value }) => value);
  const values = query.peers.filter((peers) => all.includes(peers));
  const missing = query.peers.filter((peers) => !all.includes(peers));
  const because = `No series has ${listed(missing, receivers)}. Available: ${listed(all, receivers)}`;
  if (missing.length > 0 && values.length === 0) return nothing(because, query, "peers");
  return {
    kind: "asked",
    asked: values.length > 0 ? { peers: values.join(",") } : {},
    notes: missing.length > 0 ? [because] : [],
  };
}

function limited(
  facet: "machine" | "message_bytes",
  noun: string,
  values: (string | number)[],
  count: number,
  notes: string[],
  query: Query,
): Asked {
  if (values.length === count) return { kind: "asked", asked: {}, notes };
  if (values.length > VALUES_MAX) {
    const because = `${values.length} ${noun} match; the limit is ${VALUES_MAX}. Narrow the search`;
    return nothing(because, query, facet === "machine" ? "machine" : "size");
  }
  return { kind: "asked", asked: { [facet]: values.join(",") }, notes };
}

function nothing(because: string, query: Query, key: Key): Asked {
  return { kind: "nothing", because: `${because}.`, without: { ...query, [key]: EVERYTHING[key] } };
}

function foundNames(key: NameKey, query: Query, all: string[]): { values: string[]; missing: string | null } {
  const values = query[key].filter((name) => all.includes(name));
  const missing = query[key].filter((name) => !all.includes(name));
  if (missing.length === 0) return { values, missing: null };
  const there = all.length === 0 ? "none" : listed(all, String);
  return { values, missing: `No series has ${key}:${missing.join(",")}. Available: ${there}` };
}

function namesOf(counts: { value: string }[]): string[] {
  return counts.map(({ value }) => value);
}

function receivers(count: number): string {
  return counted(count, "receiver");
}

function listed<T>(values: T[], name: (value: T) => string): string {
  const named = values.slice(0, NAMED_MAX).map(name).join(", ");
  const rest = values.length - NAMED_MAX;
  return rest > 0 ? `${named} and ${rest} more` : named;
}
