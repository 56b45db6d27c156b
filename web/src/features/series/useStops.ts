/** The data of the trend: columns over commits, points over time, and lines of other series. */
import { type UseQueryResult, useQueries, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { commitsQuery, lineQuery, pointsQuery, seriesQuery } from "@/api/queries";
import type { ChangePoint, CommitList, LineChart, LineSeries, Point, SeriesSummary } from "@/api/types";
import { otherStyle } from "@/components/chart/lines";
import type { Curve } from "@/components/chart/plottables/Curves";
import { TRAITS } from "@/components/series/search";
import { entryName, listOf } from "@/components/series/traits";
import { distinct } from "@/lib/collections";
import { formatCount } from "@/lib/units";
import { drawnPoints, seriesPoints } from "./data";
import { overviewAsked, rangeOf, type SeriesSearch, type Shown, seriesOf } from "./search";
import { pointsOf, type Stop, type StopLine, stopsOfLine, stopsOfPoints } from "./stops";

/** Points of a zoomed range, including as much on each side for panning. */
const CLOSE_POINTS = 1_000;

export function useStops(series: SeriesSummary, search: SeriesSearch, lines: StopLine[], shown: Shown) {
  const ids = seriesOf(series.series_id, search);
  const others = ids.slice(1);
  const asked = overviewAsked(search);
  const { data: whole } = useSuspenseQuery(lineQuery(ids, asked));
  const isTime = search.axis === "time";
  const range = isTime ? null : rangeOf(search);
  const isThinned = whole.series.some(({ is_thinned }) => is_thinned);
  const { last: _last, ...figures } = asked;
  const { data: close } = useQuery({
    ...lineQuery(ids, { ...figures, ...around(range), points: CLOSE_POINTS }),
    enabled: range !== null && isThinned,
  });
  const { data: points } = useQuery({ ...pointsQuery([series.series_id]), enabled: isTime });

  const drawn = range !== null && isThinned && close !== undefined ? close : whole;
  const wholeStops = useMemo(() => firstStops(whole), [whole]);
  const stops = useMemo(() => {
    if (!isTime || points === undefined) return drawn === whole ? wholeStops : firstStops(drawn);
    const all = drawnPoints(seriesPoints(points.series[0]?.points ?? [], points.commits), "time");
    return stopsOfPoints(all, "time", readMeasured);
  }, [drawn, whole, wholeStops, isTime, points]);
  const known = useQueries({ queries: others.map((id) => seriesQuery(id)), combine: dataOf<SeriesSummary> });
  const names = useMemo(() => namesOf(series, known), [series, known]);
  // Other series have one line each: the shown percentile if it is among the lines.
  const key = shown === "throughput" ? "rate" : shown;
  const figure = lines.some((entry) => entry.key === key) ? key : "p50";
  const curves = useMemo(
    () => (isTime ? [] : drawn.series.slice(1).map((line, index) => otherCurve(line, index, figure, names))),
    [drawn, isTime, figure, names],
  );
  const [line] = drawn.series;
  const all = isTime ? stops : wholeStops;
  const [first, last] = [all[0]?.x ?? 0, all.at(-1)?.x ?? 1];
  return {
    stops,
    extent: useMemo(() => [first, last] as const, [first, last]),
    overview: useMemo(() => pointsOf(all, lines[0]?.key ?? ""), [all, lines]),
    others: curves,
    thinned: line?.is_thinned === true && !isTime ? thinnedText(line.point_count, stops.length) : null,
    before: useCallback(
      (ordinal: number): Stop | null => stops.findLast((stop) => stop.ordinal < ordinal) ?? null,
      [stops],
    ),
  };
}

/** The commits after which drifts began. */
export function useDriftStarts(project: string, changePoints: readonly ChangePoint[]) {
  const drifts = changePoints.filter(({ kind }) => kind === "drift");
  const ordinals = distinct(drifts.map(({ after_commit_ordinal }) => after_commit_ordinal));
  return useQueries({
    queries: ordinals.map((ordinal) => commitsQuery(project, { from: ordinal, to: ordinal, limit: 1 })),
    combine: commitsOf,
  });
}

function commitsOf(answers: UseQueryResult<CommitList>[]) {
  return dataOf(answers).flatMap(({ commits }) => commits);
}

function firstStops({ series: [line] }: LineChart): Stop[] {
  return line === undefined ? [] : stopsOfLine(line);
}

function readMeasured(point: Point) {
  const { latency_ns, bytes_per_second, lossy } = point;
  return {
    band: [latency_ns.p25, latency_ns.p75] as const,
    values: { ...latency_ns, rate: bytes_per_second ?? 0 },
    lossy,
  };
}

/** The names of other series: their transport, and the traits that differ. */
function namesOf(own: SeriesSummary, others: SeriesSummary[]): ReadonlyMap<number, string> {
  const { entries, different } = listOf([own, ...others], (series) => series);
  const shown = TRAITS.filter((trait) => trait === "transport" || different.includes(trait));
  return new Map(entries.map((entry) => [entry.row.series_id, entryName(entry, shown)]));
}

function otherCurve(
  line: LineSeries,
  index: number,
  figure: string,
  names: ReadonlyMap<number, string>,
): Curve {
  const { stroke, ink, dash } = otherStyle(index);
  const points = pointsOf(stopsOfLine(line), figure);
  const label = names.get(line.series_id) ?? `series ${line.series_id}`;
  return { key: `series-${line.series_id}`, label, stroke, ink, dash, width: 1.25, points };
}

function dataOf<T>(answers: UseQueryResult<T>[]): T[] {
  return answers.flatMap(({ data }) => data ?? []);
}

function around(range: readonly [number, number] | null): { from?: number; to?: number } {
  if (range === null) return {};
  const span = range[1] - range[0];
  return { from: Math.max(0, Math.round(range[0] - span)), to: Math.round(range[1] + span) };
}

function thinnedText(count: number, drawn: number): string {
  return `${formatCount(drawn)} of ${formatCount(count)} points, extremes included`;
}
