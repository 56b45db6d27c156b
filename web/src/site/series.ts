/** Series: lists, facets and single ones. */
import type { SeriesFacets, SeriesSummary } from "@/api/types";
import { ascending, groupBy } from "@/lib/collections";
import { seriesById, seriesList } from "./data";
import { type Answers, listed, numberIn, valuesIn } from "./endpoint";
import { hasWords, wordsOf } from "./words";

type Facet = Exclude<keyof SeriesFacets, "series_count">;
type Filter = Partial<Record<Facet | "q", string>>;

const FACETS: Record<Facet, (series: SeriesSummary) => string | number> = {
  machine: ({ machine }) => machine,
  transport: ({ transport }) => transport.slug,
  scenario: ({ case: kase }) => kase.scenario,
  mode: ({ case: kase }) => kase.mode,
  placement: ({ case: kase }) => kase.placement,
  message_bytes: ({ case: kase }) => kase.message_bytes,
  peers: ({ case: kase }) => kase.peers,
};
const NAMES = Object.keys(FACETS) as Facet[];

export const series = {
  "/api/v1/projects/{project}/series": async ({ path, query }) => {
    const all = await seriesList(path.project);
    return listed("series", matching(all.series, query), query);
  },
  "/api/v1/projects/{project}/series/facets": async ({ path, query }) =>
    facetsOf((await seriesList(path.project)).series, query),
  "/api/v1/series/{series_id}": ({ path }) => seriesById(numberIn("series_id", path.series_id, 0)),
} satisfies Answers;

/** The series with all words, and with one of the values of each facet. */
export function matching(all: readonly SeriesSummary[], { q = "", ...facets }: Filter): SeriesSummary[] {
  const words = wordsOf(q);
  const wanted = NAMES.flatMap((name) => {
    const values = valuesIn(facets[name]);
    return values === undefined || values.length === 0 ? [] : [{ of: FACETS[name], values: new Set(values) }];
  });
  return all.filter(
    (entry) => wanted.every(({ of, values }) => values.has(String(of(entry)))) && hasWords(entry, words),
  );
}

/** A facet counts the series that match all other facets, so that another of its values can be selected. */
export function facetsOf(all: readonly SeriesSummary[], filter: Filter): SeriesFacets {
  const found = matching(all, { q: filter.q ?? "" });
  const counts = <Value extends string | number>(facet: Facet, typed: (value: string | number) => Value) => {
    const { [facet]: _own, q: _q, ...others } = filter;
    const groups = groupBy(matching(found, others), (entry) => typed(FACETS[facet](entry)));
    return [...groups]
      .map(([value, entries]) => ({ value, series_count: entries.length }))
      .sort((one, other) => ascending<string | number>(one.value, other.value));
  };
  return {
    series_count: matching(found, { ...filter, q: "" }).length,
    machine: counts("machine", String),
    transport: counts("transport", String),
    scenario: counts("scenario", String),
    mode: counts("mode", String),
    placement: counts("placement", String),
    message_bytes: counts("message_bytes", Number),
    peers: counts("peers", Number),
  };
}
