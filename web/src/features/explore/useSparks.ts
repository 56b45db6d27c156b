/** The lines of series, in blocks of rows as they come into sight. */
import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { changePointsQuery, lineQuery, ridgesQuery } from "@/api/queries";
import type { ChangePointList, LineChart, RidgeChart, SeriesSummary } from "@/api/types";
import { ridgesOf } from "@/components/chart/ridges";
import type { Figure } from "@/lib/query";
import { isSite } from "@/lib/site";
import { nextBlock } from "./blocks";
import { COMMITS_MAX } from "./data";

/** Longer lines are thinned by the server. */
const POINTS_MAX = 120;

export function useSparks(series: readonly SeriesSummary[], figure: Figure) {
  const [blocks, setBlocks] = useState<readonly (readonly number[])[]>([]);
  const known = useMemo(() => new Set(series.map(({ series_id }) => series_id)), [series]);
  const current = useMemo(() => blocks.filter((ids) => ids.some((id) => known.has(id))), [blocks, known]);
  const onShown = useCallback((rows: readonly SeriesSummary[], from: number, to: number) => {
    const ids = rows.map(({ series_id }) => series_id);
    setBlocks((before) => {
      const block = nextBlock(ids, from, to, before);
      return block.length === 0 ? before : [...before, block];
    });
  }, []);
  const asked = { quantiles: figure, repetitions: false, last: COMMITS_MAX, points: POINTS_MAX };
  const lines = useQueries({ queries: current.map((ids) => lineQuery([...ids], asked)), combine: allLines });
  const changes = useQueries({
    queries: current.map((ids) => changePointsQuery([...ids])),
    combine: allChanges,
  });
  // Static sites have one file of distributions per series, too many to load for a list.
  const distributions = useQueries({
    queries: isSite() ? [] : current.map((ids) => ridgesQuery([...ids])),
    combine: allRidges,
  });
  const ridges = useMemo(
    () => new Map(distributions.map(({ series_id, columns }) => [series_id, ridgesOf(columns)])),
    [distributions],
  );
  return { ...lines, changes, ridges, onShown };
}

// Outside the hook, so that results keep their identity.
function allLines(results: UseQueryResult<LineChart>[]) {
  return {
    lines: results.flatMap(({ data }) => data?.series ?? []),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    onRetry: () => {
      for (const { refetch, isError } of results) if (isError) void refetch();
    },
  };
}

function allRidges(results: UseQueryResult<RidgeChart>[]) {
  return results.flatMap(({ data }) => data?.series ?? []);
}

function allChanges(results: UseQueryResult<ChangePointList>[]) {
  return results.flatMap(({ data }) => data?.change_points ?? []);
}
