/** Series, their facets and their points. */
import type { SeriesFacets } from "@/api/types";
import { between, found, listed, type Mocks } from "../endpoint";
import { statedPointOf } from "../world/figures";
import type { MockSeries } from "../world/series";
import { isStated, type World } from "../world/world";
import { badge } from "./regressions";

const FACETS: Record<Exclude<keyof SeriesFacets, "series_count">, (series: MockSeries) => string | number> = {
  machine: ({ machine }) => machine.machine,
  transport: ({ summary }) => summary.transport.slug,
  scenario: ({ summary }) => summary.case.scenario,
  mode: ({ summary }) => summary.case.mode,
  placement: ({ summary }) => summary.case.placement,
  message_bytes: ({ summary }) => summary.case.message_bytes,
  peers: ({ summary }) => summary.case.peers,
};
type Facet = keyof typeof FACETS;
type Chosen = Partial<Record<Facet | "q", string>>;

export const series = {
  "/api/v1/points": (world, { query }) => {
    const asked = seriesIn(world, query.series);
    const limit = Number(query.limit ?? 500);
    return {
      commits: world.commits,
      series: asked.map((entry) => ({
        series_id: entry.summary.series_id,
        points: between(world.pointsOf(entry), ({ commit_ordinal }) => commit_ordinal, query).slice(-limit),
        summaries: isStated(entry)
          ? world
              .runsOf(entry)
              .map((run) => statedPointOf(entry, run))
              .slice(-limit)
          : [],
      })),
    };
  },
  "/api/v1/projects/{project}/series": (world, { path, query }) => {
    const series = chosen(world, path.project, query).map((entry) => world.summaryOf(entry));
    return listed("series", series, query);
  },
  "/api/v1/projects/{project}/series/facets": (world, { path, query }) => {
    // A facet counts the series that match all other facets, so that another of its values can be selected.
    const count = (facet: Facet) => {
      const { [facet]: _, ...others } = query as Chosen;
      const counts = new Map<string | number, number>();
      for (const entry of chosen(world, path.project, others)) {
        const value = FACETS[facet](entry);
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
    };
    const names = (facet: Facet) =>
      count(facet).map(([value, series_count]) => ({ value: String(value), series_count }));
    const numbers = (facet: Facet) =>
      count(facet).map(([value, series_count]) => ({ value: Number(value), series_count }));
    return {
      series_count: chosen(world, path.project, query).length,
      machine: names("machine"),
      transport: names("transport"),
      scenario: names("scenario"),
      mode: names("mode"),
      placement: names("placement"),
      message_bytes: numbers("message_bytes"),
      peers: numbers("peers"),
    };
  },
  "/api/v1/series/{series_id}": (world, { path }) => world.summaryOf(seriesOf(world, path.series_id)),
  "/api/v1/series/{series_id}/badge.svg": (world, { path, query }) => {
    const { transport } = world.summaryOf(seriesOf(world, path.series_id));
    return badge(`${transport.slug} ${query.quantile ?? "p50"}`, "4.02 µs");
  },
} satisfies Partial<Mocks<"get">>;

export function seriesOf(world: World, series_id: string): MockSeries {
  return found(world.seriesById(Number(series_id)), "series", series_id);
}

export function seriesIn(world: World, numbers: string | undefined): MockSeries[] {
  return (numbers ?? "")
    .split(",")
    .filter(Boolean)
    .map((number) => seriesOf(world, number));
}

/** The series of a project that match a value of each facet, and all words. */
function chosen(world: World, project: string, { q, ...asked }: Chosen): MockSeries[] {
  const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return (world.has(project) ? world.series : []).filter((entry) => {
    const hasAll = Object.entries(FACETS).every(([facet, value]) => {
      const wanted = asked[facet as Facet];
      return wanted === undefined || wanted.split(",").includes(String(value(entry)));
    });
    const all = [
      ...Object.values(FACETS).map((value) => String(value(entry))),
      entry.summary.case.benchmark ?? "",
    ];
    return hasAll && words.every((word) => all.some((text) => text.toLowerCase().includes(word)));
  });
}
