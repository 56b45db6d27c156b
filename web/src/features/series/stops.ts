/** The stops of a trend (commits, or runs over time) and the columns of a heat map. Pure. */
import type { ChangePoint, CommitSummary, HeatMapChart, LineSeries, Note } from "@/api/types";
import type { HeatColumn } from "@/components/chart/HeatMap";
import type { BoxRow } from "@/components/chart/plottables/Boxes";
import type { Band, Curve } from "@/components/chart/plottables/Curves";
import type { Mark, MarkedPoint } from "@/components/chart/plottables/PointMarks";
import type { Change, Rule } from "@/components/chart/plottables/Rules";
import { ordinalScale, type Scale, timeScale } from "@/components/chart/ticks";
import { lineOf, markOf, pointWords } from "@/lib/changes";
import { drawnPlaces } from "@/lib/history";
import { intervalOf } from "@/lib/imports";
import { requesterText } from "@/lib/queue";
import { boundsOfBin, centralBins, environmentsOf, median, numbersOf, sharesByBin } from "@/lib/statistics";
import { type Placed, positionOf, type SeriesPoint } from "./data";
import type { Axis, Reach } from "./search";

export type Stop = {
  x: number;
  ordinal: number;
  environmentId: number;
  mark: Mark;
  /** Whether tracked files differed from the commit. */
  isModified: boolean;
  band: readonly [number, number] | null;
  /** Values by the key of a line. */
  values: Readonly<Record<string, number>>;
  /** The run, if single points were loaded. */
  runId: string | null;
  /** The number of known runs of the commit. */
  runs: number;
};

export type StopLine = Omit<Curve, "points">;

/** With more points, lines are drawn instead of boxes. */
const BOXES_MAX = 3;

/** The stops of a line over commits, one per commit. */
export function stopsOfLine(line: LineSeries): Stop[] {
  const environments = environmentsOf(line.environments, numbersOf(line.commit_ordinals).length);
  const columns = valuesOf(line);
  const [low, high] = bandOf(line);
  const [modified, lossy] = [new Set(line.work_tree_modified), new Set(line.lossy)];
  return drawnPlaces(line).map(({ place, ordinal, runs }): Stop => {
    const [from, to] = [low?.[place] ?? null, high?.[place] ?? null];
    return {
      x: ordinal,
      ordinal,
      environmentId: environments[place] ?? 0,
      mark: lossy.has(place) ? "lossy" : modified.has(place) ? "modified" : "plain",
      isModified: modified.has(place),
      band: from === null || to === null ? null : [from, to],
      values: Object.fromEntries(columns.map(([name, column]) => [name, column[place] ?? 0])),
      runId: null,
      runs,
    };
  });
}

export function stopsOfPoints<P extends Placed>(
  drawn: SeriesPoint<P>[],
  axis: Axis,
  read: (point: P) => Pick<Stop, "band" | "values"> & { lossy: boolean },
): Stop[] {
  return drawn.map(({ point, runs }) => {
    const { band, values, lossy } = read(point);
    return {
      x: positionOf(point, axis),
      ordinal: point.commit_ordinal,
      environmentId: point.environment_id,
      mark: lossy ? "lossy" : point.work_tree_modified ? "modified" : "plain",
      isModified: point.work_tree_modified,
      band,
      values,
      runId: point.run_id,
      runs,
    };
  });
}

export function pointsOf(stops: Stop[], figure: string): Curve["points"] {
  return stops.flatMap(({ x, values }) => {
    const value = values[figure];
    return value === undefined ? [] : [[x, value] as const];
  });
}

/** The medians of some lines. */
export function mediansOf(stops: Stop[], lines: StopLine[]): ReadonlyMap<string, number> {
  return new Map(
    lines.map(({ key }) => [key, median(stops.flatMap(({ values }) => values[key] ?? [])) || 1] as const),
  );
}

/** Stops with values relative to the median of their line; the band is relative to that of the first line. */
export function relativeStops(stops: Stop[], medians: ReadonlyMap<string, number>): Stop[] {
  const [first = 1] = medians.values();
  return stops.map((stop) => ({
    ...stop,
    band: stop.band && [stop.band[0] / first, stop.band[1] / first],
    values: Object.fromEntries([...medians].map(([key, of]) => [key, (stop.values[key] ?? 0) / of])),
  }));
}

export function relativeCurve(curve: Curve): Curve {
  const of = median(curve.points.map(([, y]) => y)) || 1;
  return { ...curve, points: curve.points.map(([x, y]) => [x, y / of] as const) };
}

/** The marks for stops: lines with a band, or boxes if there are few. */
export function drawingOf(stops: Stop[], lines: StopLine[]) {
  const curves: Curve[] = lines.map((line) => ({
    ...line,
    points: pointsOf(stops, line.key),
  }));
  const banded = stops.flatMap(({ x, band }) => (band === null ? [] : [[x, band[0], band[1]] as const]));
  const bands: Band[] = banded.length === 0 ? [] : [{ key: "band", points: banded }];
  const boxes: BoxRow[] =
    stops.length > BOXES_MAX
      ? []
      : stops.map(({ x, band, values }) => ({
          x,
          band,
          ticks: lines.map(({ key, stroke, dash }) => ({ key, stroke, dash, value: values[key] ?? 0 })),
        }));
  const first = lines[0]?.key ?? "";
  const marks: MarkedPoint[] = stops.map(({ x, mark, values }) => ({ x, mark, y: values[first] ?? 0 }));
  return { curves, bands, boxes, marks };
}

/** Environment changes along the line: half way between the last stop before and the first stop after. */
export function environmentChanges(stops: Stop[]) {
  return stops.slice(1).flatMap((after, index) => {
    const before = stops[index];
    return before === undefined || before.environmentId === after.environmentId
      ? []
      : [{ x: (before.x + after.x) / 2, before: before.environmentId, after: after.environmentId }];
  });
}

/** Notes on commits, each at the first stop that contains its commit. */
export function notesAt(notes: readonly Note[], stops: readonly Stop[]): Rule[] {
  return notes.flatMap(({ commit, text, created_by }) => {
    const stop = stops.find(({ ordinal }) => ordinal >= commit.ordinal);
    const label = `${text} (${requesterText(created_by)})`;
    return stop === undefined ? [] : [{ x: stop.x, label, isNote: true }];
  });
}

/**
 * The change points of the drawn lines, by commit. The commits are those after which drifts began. `name` replaces the name
 * of the figure.
 */
export function changesOf(
  changePoints: readonly ChangePoint[],
  keys: string[],
  commits: readonly CommitSummary[] = [],
  name?: string,
): Change[] {
  return changePoints
    .filter(({ figure }) => keys.includes(lineOf(figure)))
    .map((change) => ({
      x: change.commit_ordinal,
      from: change.kind === "drift" ? change.after_commit_ordinal : change.commit_ordinal,
      mark: markOf(change),
      label: pointWords(change, commits, name),
      direction: change.direction,
      isQuiet: change.cause === "machine",
    }));
}

/** The changes at a commit in words, with the drifts during which it was measured. */
export function wordsAt(changes: readonly Change[], ordinal: number): string[] {
  return changes
    .filter(({ x, from }) => x === ordinal || (from < ordinal && ordinal < x))
    .map(({ label }) => label);
}

function valuesOf({ latency_ns, stated, bytes_per_second }: LineSeries): [string, number[]][] {
  const columns = { ...latency_ns, center: stated?.center, rate: bytes_per_second };
  return Object.entries(columns).flatMap(([name, column]): [string, number[]][] =>
    column == null ? [] : [[name, numbersOf(column)]],
  );
}

function bandOf({ latency_ns, stated }: LineSeries): [(number | null)[] | null, (number | null)[] | null] {
  if (stated != null) return [numbersOf(stated.low), numbersOf(stated.high)];
  if (latency_ns?.p25 == null || latency_ns.p75 == null) return [null, null];
  return [numbersOf(latency_ns.p25), numbersOf(latency_ns.p75)];
}

export function readStated(point: Parameters<typeof intervalOf>[0] & { center_ns: number }) {
  return { band: intervalOf(point), values: { center: point.center_ns }, lossy: false };
}

/** The share of operations at each end outside the usual range. */
const LEFT_OUT = 0.0005;

/** The columns; each extends half way to its neighbours. */
export function heatColumns({ columns }: HeatMapChart): HeatColumn[] {
  const [from, to] = [numbersOf(columns.from_ordinals), numbersOf(columns.to_ordinals)];
  const firstBins = numbersOf(columns.first_bins);
  return from.map((first, place) => {
    const last = to[place] ?? first;
    const before = to[place - 1] ?? first - 1;
    const after = from[place + 1] ?? last + 1;
    return {
      from: (before + first) / 2,
      to: (last + after) / 2,
      x: last,
      shares: sharesByBin(firstBins[place] ?? 0, columns.counts[place] ?? []),
    };
  });
}

export function reachOf(columns: HeatColumn[], steps: number, reach: Reach): [number, number] {
  const byBin = new Map<number, number>();
  for (const { shares } of columns) {
    for (const [bin, share] of shares) byBin.set(bin, (byBin.get(bin) ?? 0) + share / columns.length);
  }
  const [shortest, longest] = centralBins(byBin, reach === "all" ? 0 : LEFT_OUT);
  return [boundsOfBin(shortest - 1, steps)[0], boundsOfBin(longest + 1, steps)[1]];
}

/** The mean share of operations outside the drawn range, over all columns. */
export function shareBeyond(columns: HeatColumn[], steps: number, [low, high]: readonly [number, number]) {
  const outside = columns.reduce((sum, { shares }) => {
    const beyond = [...shares].filter(([bin]) => {
      const [from, to] = boundsOfBin(bin, steps);
      return to <= low || from >= high;
    });
    return sum + beyond.reduce((part, [, share]) => part + share, 0);
  }, 0);
  return outside / Math.max(1, columns.length);
}

/** Padding at both ends of the axis, so that no mark is cut. */
const ROOM = 0.015;

export function scaleOf(axis: Axis, [from, to]: readonly [number, number]): Scale {
  const { domain, ticks } =
    axis === "time" ? timeScale([from, to]) : ordinalScale([Math.round(from), Math.round(to)]);
  const room = (domain[1] - domain[0]) * ROOM;
  return { domain: [domain[0] - room, domain[1] + room], ticks };
}
