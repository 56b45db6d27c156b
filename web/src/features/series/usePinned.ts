/** The pinned point: that of a run or a commit that the address names, or else the newest. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { pointDetailQuery, pointsAtQuery } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { drawnPoints, pinnedPoint, type SeriesPoint, seriesPoints } from "./data";
import type { SeriesSearch } from "./search";
import type { Stop } from "./stops";

/** The neighbour of the pinned point on the line, by its place; none before the first. */
export type Before = (ordinal: number) => Stop | null;

export function usePinned(series: SeriesSummary, search: SeriesSearch, before: Before) {
  const { series_id: seriesId, latest } = series;
  const asked = useQuery({
    ...pointDetailQuery(search.run ?? "", seriesId),
    enabled: search.run !== undefined,
  });
  const ordinal =
    (search.run === undefined ? search.at : asked.data?.point.commit_ordinal) ?? latest?.commit_ordinal ?? 0;
  const drawn = usePoint(series, ordinal, search.run);
  const alone = asked.data?.point ?? latest;
  const pinned = useMemo(() => drawn ?? pointOf(alone), [drawn, alone]);
  const detail = useQuery({
    ...pointDetailQuery(pinned?.point.run_id ?? "", seriesId),
    enabled: pinned !== null,
  });
  const neighbour = before(ordinal);
  const earlierPoint = usePoint(series, neighbour?.ordinal ?? null, undefined);
  const earlier = useQuery({
    ...pointDetailQuery(earlierPoint?.point.run_id ?? "", seriesId),
    enabled: earlierPoint !== null,
  });
  return {
    pinned,
    detail,
    /** The point before, and all that is known of it. */
    earlierPoint,
    earlier: earlierPoint === null ? null : (earlier.data ?? null),
  };
}

/** Finds the commits that two places of the line stand for. */
export function useCommitsAt(series: SeriesSummary) {
  const queryClient = useQueryClient();
  const shaAt = async (ordinal: number): Promise<string | null> => {
    const { series: lines, commits } = await queryClient.fetchQuery(pointsAtQuery(series.series_id, ordinal));
    return (
      drawnPoints(seriesPoints(lines[0]?.points ?? [], commits), "commits").at(-1)?.point.commit_sha ?? null
    );
  };
  return (base: number, head: number) => Promise.all([shaAt(base), shaAt(head)]);
}

/** The point of a commit: that of the run, or the one that the line goes through. */
function usePoint(series: SeriesSummary, ordinal: number | null, runId: string | undefined) {
  // A run may be one of a pull request; a commit is one of the trend.
  const lines = runId === undefined ? "main" : "all";
  const { data } = useQuery({
    ...pointsAtQuery(series.series_id, ordinal ?? 0, lines),
    enabled: ordinal !== null,
  });
  return useMemo(() => {
    const points = seriesPoints(data?.series[0]?.points ?? [], data?.commits ?? []);
    if (points.some(({ point }) => point.commit_ordinal !== ordinal)) return null;
    return pinnedPoint(points, drawnPoints(points, "commits"), runId);
  }, [data, ordinal, runId]);
}

function pointOf(point: SeriesSummary["latest"] | undefined): SeriesPoint | null {
  return point == null ? null : { point, commit: null, runs: 1 };
}
