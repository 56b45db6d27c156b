/** The page state in the URL. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useRef } from "react";
import { pointDetailQuery, pointsAtQuery, pointsQuery } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { moved, zoomed } from "@/components/chart/keys";
import { nearest } from "@/components/chart/nearest";
import type { Change } from "@/components/chart/plottables/Rules";
import { useDrafted, useSearchChange } from "@/lib/hooks";
import { toComparison } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { useKeys } from "@/lib/useKeys";
import { drawnPoints, pinnedPoint, type SeriesPoint, seriesPoints } from "./data";
import { rangeOf, type SeriesSearch } from "./search";
import type { Stop } from "./stops";
import type { useStops } from "./useStops";

const route = getRouteApi("/$project/series/$seriesId");

export function usePageState() {
  const search = route.useSearch();
  const change = useSearchChange<SeriesSearch>();
  /** Adds a history entry, so that Back undoes it. */
  const onRange = useCallback(
    (range: Range | null) => {
      const [from, to] = range?.map(Math.round) ?? [];
      return change({ from, to }, { replace: false });
    },
    [change],
  );
  const onPin = useCallback(
    ({ ordinal, runId }: Pick<Stop, "ordinal" | "runId">) =>
      change(runId === null ? { at: ordinal, run: undefined } : { run: runId, at: undefined }),
    [change],
  );
  const onAxis = (patch: SeriesSearch) => change({ from: undefined, to: undefined, ...patch });
  const { from, to } = search;
  const range = useMemo(() => rangeOf({ from, to }), [from, to]);
  return { search, range, change, onRange, onPin, onAxis };
}

type Range = readonly [number, number];

/** The visible range of an axis. The URL stores it; while panning, local state follows the pointer first. */
export function useRange(extent: Range, kept: Range | null, onRange: (range: Range | null) => void) {
  const [drafted, setMoved] = useDrafted(kept, async (draft) => onRange(draft && keptRange(draft, extent)));
  const shown = within(drafted ?? extent, extent);
  // Several movements can arrive before the next drawing.
  const current = useRef<Range>(shown);
  current.current = shown;
  return {
    shown,
    zoom: (range: Range | null) => {
      setMoved(null);
      onRange(keptRange(range, extent));
    },
    pan: (by: number) => {
      if (isWhole(current.current, extent)) return;
      current.current = moved(current.current, by, extent);
      setMoved(current.current);
    },
    move: (range: Range) => setMoved(within(range, extent)),
  };
}

/** The range for the URL, limited to the extent; `null` for all. */
export function keptRange(range: Range | null, extent: Range): Range | null {
  return range === null || isWhole(range, extent) ? null : within(range, extent);
}

function within([from, to]: Range, [first, last]: Range): Range {
  const [low, high] = [Math.max(from, first), Math.min(to, last)];
  return low < high ? [low, high] : [first, last];
}

function isWhole([from, to]: Range, [first, last]: Range): boolean {
  return from <= first && to >= last;
}

/** The previous stop on the line; `null` before the first. */
export type Before = (ordinal: number) => Stop | null;

/** The pinned point: of the run or commit in the URL, otherwise the newest. */
export function usePinned(series: SeriesSummary, search: SeriesSearch, before: Before) {
  const { series_id: seriesId, latest } = series;
  const asked = useQuery({
    ...pointDetailQuery(search.run ?? "", seriesId),
    enabled: search.run !== undefined,
  });
  // Static sites keep the points of old runs, not their details.
  const { data: points } = useQuery({ ...pointsQuery([seriesId]), enabled: isSite() && asked.isError });
  const known = points?.series[0]?.points.find(({ run_id }) => run_id === search.run);
  const ofRun = asked.data?.point ?? known;
  const ordinal =
    (search.run === undefined ? search.at : ofRun?.commit_ordinal) ?? latest?.commit_ordinal ?? 0;
  const drawn = usePoint(series, ordinal, search.run);
  const alone = ofRun ?? latest;
  const pinned = useMemo((): SeriesPoint | null => {
    return drawn ?? (alone == null ? null : { point: alone, commit: null, runs: 1 });
  }, [drawn, alone]);
  const detail = useQuery({
    ...pointDetailQuery(pinned?.point.run_id ?? "", seriesId),
    enabled: pinned !== null,
  });
  const neighbour = before(ordinal);
  const earlierPoint = usePoint(series, neighbour?.ordinal ?? null, undefined);
  return { pinned, detail, earlierPoint };
}

/** Finds the commits at two positions of the line. */
export function useCommitsAt(series: SeriesSummary) {
  const queryClient = useQueryClient();
  const shaAt = async (ordinal: number): Promise<string | null> => {
    const { series: lines, commits } = await queryClient.fetchQuery(pointsAtQuery(series.series_id, ordinal));
    const points = seriesPoints(lines[0]?.points ?? [], commits);
    return drawnPoints(points, "commits").at(-1)?.point.commit_sha ?? null;
  };
  return (base: number, head: number) => Promise.all([shaAt(base), shaAt(head)]);
}

function usePoint(series: SeriesSummary, ordinal: number | null, runId: string | undefined) {
  // A run may be from a pull request; a commit is on the main line.
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

type On = ReturnType<typeof usePageState> &
  ReturnType<typeof usePinned> &
  Pick<ReturnType<typeof useStops>, "stops" | "extent"> & {
    project: string;
    pinned_x: number;
    changes: readonly Change[];
  };

/** Keyboard control of a series: move along commits and change points, and zoom. */
export function useSeriesKeys(on: On): void {
  const { project, stops, pinned_x, pinned, earlierPoint, changes, range, extent, onPin, onRange } = on;
  const navigate = useNavigate();
  const pin = (stop: Stop | undefined) => {
    if (stop !== undefined) onPin(stop);
  };
  const places = () => stops.map(({ x }) => x);
  const move = (by: number) => pin(stops[nearest(places(), pinned_x) + by]);
  const goTo = (change: Change | undefined) => {
    if (change !== undefined) pin(stops[nearest(places(), change.x)]);
  };
  const zoom = (factor: number) => onRange(keptRange(zoomed(pinned_x, range ?? extent, factor), extent));
  useKeys({
    title: "Series",
    keys: [
      ["ArrowLeft", "previous commit", () => move(-1)],
      ["ArrowRight", "next commit", () => move(1)],
      ["[", "previous change point", () => goTo(changes.findLast(({ x }) => x < pinned_x))],
      ["]", "next change point", () => goTo(changes.find(({ x }) => x > pinned_x))],
      ["+", "zoom in", () => zoom(0.5)],
      ["-", "zoom out", () => zoom(2)],
      ["0", "show all", () => onRange(null)],
      [
        "c",
        "compare with the previous commit",
        () => {
          if (pinned === null || earlierPoint === null) return;
          navigate(toComparison(project, earlierPoint.point.commit_sha, pinned.point.commit_sha));
        },
      ],
    ],
  });
}
