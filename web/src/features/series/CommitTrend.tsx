/** A trend over commits or time, measured or stated: lines, marks, environment changes, tooltip and table. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { environmentsQuery, notesQuery } from "@/api/queries";
import type { SeriesSummary, StatedPoint } from "@/api/types";
import { ChartFrame, type ChartTable } from "@/components/chart/ChartFrame";
import { type Measure, measureOf, RATE, RELATIVE } from "@/components/chart/measure";
import type { Curve } from "@/components/chart/plottables/Curves";
import type { Change } from "@/components/chart/plottables/Rules";
import { TrendChart } from "@/components/chart/TrendChart";
import { legendsOf } from "@/lib/changes";
import { environmentDifference } from "@/lib/environments";
import { subjectOf } from "@/lib/fileNames";
import { timeName, toolName } from "@/lib/imports";
import { isSite } from "@/lib/site";
import { formatDay, formatMoment } from "@/lib/time";
import { counted, upperFirst } from "@/lib/units";
import { type SeriesPoint, statedLines } from "./data";
import { StopTooltip } from "./SeriesParts";
import type { Axis, Shown, TrendScale } from "./search";
import {
  drawingOf,
  environmentChanges,
  mediansOf,
  notesAt,
  relativeCurve,
  relativeStops,
  type Stop,
  type StopLine,
  scaleOf,
  wordsAt,
} from "./stops";
import { statedTable, stopsTable } from "./tables";
import { useRange } from "./usePageState";

/** Props that measured and stated trends share. */
type TrendProps = {
  series: SeriesSummary;
  /** The points; denser if zoomed in. */
  stops: Stop[];
  /** The full range of the axis. */
  extent: readonly [number, number];
  /** The number of points, if not all are drawn. */
  thinned: string | null;
  axis: Axis;
  scale: TrendScale;
  /** The first line over the full range. */
  overview: Curve["points"];
  range: readonly [number, number] | null;
  pinned: { x: number; values: Readonly<Record<string, number>> };
  onPin: (stop: Stop) => void;
  onRange: (range: readonly [number, number] | null) => void;
  onCompare?: (base: Stop, head: Stop) => void;
};

type Props = TrendProps & {
  title: string;
  legend: string;
  /** The legend of marks that are present. */
  notes: (string | false)[];
  lines: StopLine[];
  others: Curve[];
  changes: Change[];
  measure: Measure;
  table: ChartTable;
  /** Added to the tooltip of each stop. */
  remark?: string;
};

const DAY_MS = 86_400_000;

function CommitTrend(props: Props) {
  const { title, series, stops, axis, scale, lines, measure, extent, pinned, onPin, onCompare } = props;
  const { shown, zoom, pan, move } = useRange(extent, props.range, props.onRange);
  const changes = useMemo(() => environmentChanges(stops), [stops]);
  const { data: environments } = useQuery({
    ...environmentsQuery(series.project, series.machine),
    enabled: changes.length > 0,
  });
  const [from, to] = [stops[0]?.ordinal ?? 0, stops.at(-1)?.ordinal ?? 0];
  const asked = notesQuery(series.project, { from, to });
  const { data: noted } = useQuery({ ...asked, enabled: stops.length > 0 && !isSite() });
  const notes = notesAt(noted?.notes ?? [], stops);
  const factsOf = (id: number) =>
    environments?.environments.find(({ environment_id }) => environment_id === id)?.stable;
  const isRelative = scale === "relative";
  const medians = useMemo(() => mediansOf(stops, lines), [stops, lines]);
  const { curves, bands, boxes, marks } = useMemo(
    () => drawingOf(isRelative ? relativeStops(stops, medians) : stops, lines),
    [stops, lines, isRelative, medians],
  );
  const { others } = props;
  const all = useMemo(
    () => [...curves, ...(isRelative ? others.map(relativeCurve) : others)],
    [curves, others, isRelative],
  );
  const first = lines[0]?.key ?? "";
  const pinned_y = (pinned.values[first] ?? 0) / (isRelative ? (medians.get(first) ?? 1) : 1);
  const byX = useMemo(() => new Map(stops.map((stop) => [stop.x, stop])), [stops]);
  const places = useMemo(() => stops.map(({ x }) => x), [stops]);
  const format = shown[1] - shown[0] < 2 * DAY_MS ? formatMoment : formatDay;
  const parts = [
    props.legend,
    isRelative && "relative to the median of each line",
    stops.some(({ isModified }) => isModified) && "diamond: modified or unbuilt",
    ...props.notes,
    ...legendsOf(props.changes),
    changes.length > 0 && "dotted line: environment change",
    notes.length > 0 && "square: note",
  ];
  const over = props.thinned ?? counted(stops.length, axis === "time" ? "run" : "commit");
  return (
    <ChartFrame
      name="trend"
      title={title}
      subject={subjectOf(series)}
      summary={`${over}. ${parts.filter(Boolean).join("; ")}.`}
      table={props.table}
    >
      <TrendChart
        name="trend"
        label={`${title} by ${axis}; arrow keys pin a point, plus and minus zoom`}
        curves={all}
        bands={bands}
        boxes={boxes}
        marks={marks}
        rules={[
          ...changes.map(({ x, before, after }) => ({
            x,
            label: environmentDifference(factsOf(before), factsOf(after)),
          })),
          ...notes,
        ]}
        changes={props.changes}
        stops={places}
        xScale={scaleOf(axis, shown)}
        xLabel={(x) => (axis === "commits" ? `#${x}` : format(new Date(x).toISOString()))}
        measure={isRelative ? RELATIVE : measure}
        isLogarithmic={scale === "log"}
        pinned={{ x: pinned.x, y: pinned_y }}
        overview={props.overview}
        extent={extent}
        onMove={move}
        onPin={(x) => {
          const stop = byX.get(x);
          if (stop !== undefined) onPin(stop);
        }}
        onZoom={zoom}
        onPan={pan}
        onCompare={
          onCompare &&
          ((base, head) => {
            const [from, to] = [byX.get(base), byX.get(head)];
            if (from !== undefined && to !== undefined) onCompare(from, to);
          })
        }
        describe={(x) => {
          const stop = byX.get(x);
          if (stop === undefined) return "run not in this chart";
          const numbers = lines.map(({ key, label }) => `${label} ${measure.format(stop.values[key] ?? 0)}`);
          return [
            `commit ${stop.ordinal}, ${numbers.join(", ")}`,
            ...wordsAt(props.changes, stop.ordinal),
          ].join("; ");
        }}
        tooltip={(x) => {
          const stop = byX.get(x);
          if (stop === undefined) return null;
          const words = [
            ...wordsAt(props.changes, stop.ordinal),
            ...notes.filter((note) => note.x === x).map(({ label }) => label),
          ];
          const previous = stops.findLast((entry) => entry.x < x);
          return (
            <StopTooltip {...{ series, stop, previous, lines, measure, axis, words }} remark={props.remark} />
          );
        }}
      />
    </ChartFrame>
  );
}

type MeasuredTrendProps = TrendProps & {
  shown: Shown;
  lines: StopLine[];
  others: Curve[];
  changes: Change[];
};

/** The series over commits or time, with other series for context. */
export function Trend({ shown, lines, others, ...rest }: MeasuredTrendProps) {
  const { series, stops, axis } = rest;
  const isRate = shown === "throughput";
  const tail = lines.some(({ key }) => key === "p90") ? "; dashed: p90" : "";
  return (
    <CommitTrend
      {...rest}
      title={isRate ? "Throughput" : upperFirst(timeName(series.case) ?? "latency")}
      legend={isRate ? "Delivered payload per second" : `Band: p25 to p75; solid: p50${tail}`}
      notes={[
        stops.some(({ mark }) => mark === "lossy") && "cross: lossy",
        others.length > 0 && "thin lines: other series, not compared",
      ]}
      lines={lines}
      others={others}
      measure={isRate ? RATE : measureOf(series.case)}
      table={stopsTable(series, stops, lines, axis)}
    />
  );
}

type StatedTrendProps = TrendProps & {
  statistic: string;
  drawn: SeriesPoint<StatedPoint>[];
  changes: Change[];
};

/** The statistic that another tool stated for each commit. */
export function StatedTrend({ statistic, drawn, ...rest }: StatedTrendProps) {
  const { series, stops } = rest;
  const title = [`Stated ${statistic}`, timeName(series.case)].filter(Boolean).join(", ");
  const hasInterval = stops.some(({ band }) => band !== null);
  const band = hasInterval ? "; band: stated interval" : "";
  return (
    <CommitTrend
      {...rest}
      title={upperFirst(title)}
      legend={`${upperFirst(statistic)} stated by ${toolName(series.transport)}${band}`}
      notes={[]}
      lines={statedLines(statistic)}
      others={[]}
      measure={measureOf(series.case)}
      table={statedTable(series, statistic, drawn)}
      remark="stated, without samples"
    />
  );
}
