/** The places of a trend: commits, or over time runs, with what is drawn of each. Pure. */
import type { ChangePoint, LineSeries } from "@/api/types";
import type { BoxRow } from "@/components/chart/plottables/Boxes";
import type { Band, Curve } from "@/components/chart/plottables/Curves";
import type { Mark, MarkedPoint } from "@/components/chart/plottables/PointMarks";
import type { Change } from "@/components/chart/plottables/Rules";
import { drawnPlaces } from "@/lib/history";
import { intervalOf } from "@/lib/imports";
import { changeText } from "@/lib/regressions";
import { environmentsOf, numbersOf, optionalNumbersOf } from "@/lib/statistics";
import { type Placed, positionOf, type SeriesPoint } from "./data";
import type { Axis } from "./search";

export type Stop = {
  x: number;
  ordinal: number;
  environmentId: number;
  mark: Mark;
  /** Whether tracked files differed from the commit. */
  isModified: boolean;
  band: readonly [number, number] | null;
  /** What was measured, by the name of a line. */
  values: Readonly<Record<string, number>>;
  /** The run, where single points were asked for. */
  runId: string | null;
  /** How many runs there are of the commit, as far as they are known. */
  runs: number;
};

/** The look of a line that is drawn of stops. */
export type StopLine = Omit<Curve, "points">;

/** Up to this many points are drawn as boxes. */
const BOXES_MAX = 3;

/** The stops of a line over commits, one a commit. */
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

/** What is drawn of stops: lines with the band behind them, a few as boxes. */
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

export type EnvironmentChange = { x: number; before: number; after: number };

/** Where the environment changed along the line: half way between the last stop in one and the first in the other. */
export function environmentChanges(stops: Stop[]): EnvironmentChange[] {
  return stops.slice(1).flatMap((after, index) => {
    const before = stops[index];
    return before === undefined || before.environmentId === after.environmentId
      ? []
      : [{ x: (before.x + after.x) / 2, before: before.environmentId, after: after.environmentId }];
  });
}

/** The changes of level of the figures that are drawn, by commit. */
export function changesOf(changePoints: ChangePoint[], keys: string[]): Change[] {
  return changePoints
    .filter(({ figure }) => keys.includes(figure))
    .map((change) => ({
      x: change.commit_ordinal,
      label: `${change.figure} ${changeText(change.change)}`,
      direction: change.direction,
      isQuiet: !change.matters || change.cause === "machine",
    }));
}

function valuesOf({ latency_ns, stated, bytes_per_second }: LineSeries): [string, number[]][] {
  const columns = { ...latency_ns, center: stated?.center, rate: bytes_per_second };
  return Object.entries(columns).flatMap(([name, column]): [string, number[]][] =>
    column == null ? [] : [[name, numbersOf(column)]],
  );
}

function bandOf({ latency_ns, stated }: LineSeries): [(number | null)[] | null, (number | null)[] | null] {
  if (stated != null) return [optionalNumbersOf(stated.low), optionalNumbersOf(stated.high)];
  if (latency_ns?.p25 == null || latency_ns.p75 == null) return [null, null];
  return [numbersOf(latency_ns.p25), numbersOf(latency_ns.p75)];
}

/** A stated point as a stop has it. */
export function readStated(point: Parameters<typeof intervalOf>[0] & { center_ns: number }) {
  return { band: intervalOf(point), values: { center: point.center_ns }, lossy: false };
}
