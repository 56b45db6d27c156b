/**
 * A line of points over commits, or over time, measured or stated: with its tooltip, its marks, what happened along it,
 * and its table.
 */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { environmentsQuery } from "@/api/queries";
import type { SeriesSummary, StatedPoint } from "@/api/types";
import { ChartFrame, type ChartTable } from "@/components/chart/ChartFrame";
import { LATENCY, type Measure, RATE } from "@/components/chart/measure";
import type { Curve } from "@/components/chart/plottables/Curves";
import type { Change } from "@/components/chart/plottables/Rules";
import { TrendChart } from "@/components/chart/TrendChart";
import { environmentDifference } from "@/lib/environments";
import { timeName, toolName } from "@/lib/imports";
import { formatDay, formatMoment } from "@/lib/time";
import { counted, upperFirst } from "@/lib/units";
import { type SeriesPoint, statedLines } from "./data";
import { scaleOf } from "./heat";
import type { Axis, Shown } from "./search";
import { drawingOf, environmentChanges, type Stop, type StopLine } from "./stops";
import { statedTable, stopsTable } from "./tables";
import { useRange } from "./usePageState";

/** What a trend is given by the page, whatever it draws. */
type TrendProps = {
  series: SeriesSummary;
  /** What is drawn; where a stretch is looked at closely, more of it. */
  stops: Stop[];
  /** Where the axis ends when all is shown. */
  extent: readonly [number, number];
  /** What is said of how many points there are, where not all are drawn. */
  thinned: string | null;
  axis: Axis;
  range: readonly [number, number] | null;
  pinned: { x: number; values: Readonly<Record<string, number>> };
  onPin: (stop: Stop) => void;
  onRange: (range: readonly [number, number] | null) => void;
  onCompare?: (base: Stop, head: Stop) => void;
  tooltip: (stop: Stop) => ReactNode;
};

type Props = TrendProps & {
  title: string;
  what: string;
  /** What marks mean, as far as there are any. */
  notes: string[];
  lines: StopLine[];
  others: Curve[];
  changes: Change[];
  measure: Measure;
  table: ChartTable;
};

const DAY_MS = 86_400_000;

function CommitTrend(props: Props) {
  const { title, series, stops, axis, lines, measure, extent, pinned } = props;
  const { shown, zoom, pan } = useRange(extent, props.range, props.onRange);
  const changes = useMemo(() => environmentChanges(stops), [stops]);
  const { data: environments } = useQuery({
    ...environmentsQuery(series.project, series.machine),
    enabled: changes.length > 0,
  });
  const factsOf = (id: number) =>
    environments?.environments.find(({ environment_id }) => environment_id === id)?.stable;
  const { curves, bands, boxes, marks } = useMemo(() => drawingOf(stops, lines), [stops, lines]);
  const byX = useMemo(() => new Map(stops.map((stop) => [stop.x, stop])), [stops]);
  const places = useMemo(() => stops.map(({ x }) => x), [stops]);
  const isOneDay = shown[1] - shown[0] < 2 * DAY_MS;
  const over = axis === "time" ? counted(stops.length, "run") : counted(stops.length, "commit");
  const notes = [
    ...(stops.some(({ isModified }) => isModified) ? ["diamonds had a modified work tree"] : []),
    ...props.notes,
    ...(props.changes.length > 0 ? ["a triangle is a change of the level"] : []),
    ...(changes.length > 0 ? ["a dotted rule is a change of the environment"] : []),
  ];
  const first = lines[0]?.key ?? "";
  return (
    <ChartFrame
      name="trend"
      title={title}
      summary={`${[`${props.thinned ?? over}. ${props.what}`, ...notes].join("; ")}.`}
      table={props.table}
    >
      <TrendChart
        name="trend"
        label={`${title} by ${axis}; arrow keys pin a point, plus and minus zoom`}
        curves={[...curves, ...props.others]}
        bands={bands}
        boxes={boxes}
        marks={marks}
        rules={changes.map(({ x, before, after }) => ({
          x,
          label: environmentDifference(factsOf(before), factsOf(after)),
        }))}
        changes={props.changes}
        stops={places}
        xScale={scaleOf(axis, shown)}
        xLabel={(x) => (axis === "commits" ? `#${x}` : isOneDay ? momentOf(x) : dayOf(x))}
        measure={measure}
        pinned={{ x: pinned.x, y: pinned.values[first] ?? 0 }}
        onPin={(x) => withStop(byX, x, props.onPin)}
        onZoom={zoom}
        onPan={pan}
        onCompare={
          props.onCompare &&
          ((base, head) =>
            withStop(byX, base, (from) => withStop(byX, head, (to) => props.onCompare?.(from, to))))
        }
        describe={(x) => {
          const stop = byX.get(x);
          if (stop === undefined) return "a run that the line does not go through";
          const numbers = lines.map(({ key, label }) => `${label} ${measure.format(stop.values[key] ?? 0)}`);
          return `commit ${stop.ordinal}, ${numbers.join(", ")}`;
        }}
        tooltip={(x) => {
          const stop = byX.get(x);
          return stop === undefined ? null : props.tooltip(stop);
        }}
      />
    </ChartFrame>
  );
}

function withStop(stops: Map<number, Stop>, x: number, then: (stop: Stop) => void): void {
  const stop = stops.get(x);
  if (stop !== undefined) then(stop);
}

function momentOf(milliseconds: number): string {
  return formatMoment(new Date(milliseconds).toISOString());
}

function dayOf(milliseconds: number): string {
  return formatDay(new Date(milliseconds).toISOString());
}

type MeasuredTrendProps = TrendProps & {
  shown: Shown;
  lines: StopLine[];
  others: Curve[];
  changes: Change[];
};

/** The series over its commits, or over time, with other series beside it. */
export function Trend({ shown, lines, others, ...rest }: MeasuredTrendProps) {
  const { series, stops, axis } = rest;
  const isRate = shown === "throughput";
  const notes = [
    ...(stops.some(({ mark }) => mark === "lossy") ? ["crosses lost messages"] : []),
    ...(others.length > 0 ? ["thin lines are other series, beside it and not compared"] : []),
  ];
  return (
    <CommitTrend
      {...rest}
      title={isRate ? "Throughput" : upperFirst(timeName(series.case) ?? "latency")}
      what={isRate ? "Payload bytes delivered per second" : lookOf(lines)}
      notes={notes}
      lines={lines}
      others={others}
      measure={isRate ? RATE : LATENCY}
      table={stopsTable(series, stops, lines, axis)}
    />
  );
}

function lookOf(lines: StopLine[]): string {
  const tail = lines.some(({ key }) => key === "p90") ? ", dashed p90" : "";
  return `Shaded from p25 to p75, solid the median${tail}`;
}

type StatedTrendProps = TrendProps & { statistic: string; drawn: SeriesPoint<StatedPoint>[] };

/** What another tool stated of each commit. The line is the figure; nothing here was measured by this suite. */
export function StatedTrend({ statistic, drawn, ...rest }: StatedTrendProps) {
  const { series, stops } = rest;
  const title = [`Stated ${statistic}`, timeName(series.case)].filter(Boolean).join(", ");
  const hasInterval = stops.some(({ band }) => band !== null);
  const band = hasInterval ? ", shaded the interval that it states" : "";
  return (
    <CommitTrend
      {...rest}
      title={upperFirst(title)}
      what={`The ${statistic} as ${toolName(series.transport)} states it${band}`}
      notes={[]}
      lines={statedLines(statistic)}
      others={[]}
      changes={[]}
      measure={LATENCY}
      table={statedTable(series, statistic, drawn)}
    />
  );
}
