/** Series, their facets and their points. */
import type { SeriesSummary } from "@/api/types";
import { facetsOf, matching } from "@/site/series";
import { between, found, listed, type Mocks } from "../endpoint";
import { statedPointOf } from "../world/figures";
import type { MockSeries } from "../world/series";
import { isStated, type World } from "../world/world";
import { badge } from "./regressions";

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
    const found = matching(summariesIn(world, path.project), query);
    const series = found.flatMap(({ series_id }) => world.seriesById(series_id) ?? []);
    return listed(
      "series",
      series.map((entry) => world.summaryOf(entry)),
      query,
    );
  },
  "/api/v1/projects/{project}/series/facets": (world, { path, query }) =>
    facetsOf(summariesIn(world, path.project), query),
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

/** Without their newest points. */
function summariesIn(world: World, project: string): SeriesSummary[] {
  return world.has(project) ? world.series.map(({ summary }) => summary) : [];
}
