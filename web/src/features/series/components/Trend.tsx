/** The series over its commits, or over time. */
import type { Point, SeriesSummary } from "@/api/types";
import { LATENCY, RATE } from "@/components/chart/measure";
import type { TrendLine } from "@/components/chart/TrendChart";
import { timeName } from "@/lib/imports";
import { upperFirst } from "@/lib/units";
import { type SeriesPoint, trendRow } from "../data";
import type { Shown } from "../search";
import { trendTable } from "../tables";
import { CommitTrend, type TrendProps } from "./CommitTrend";

type Props = TrendProps<Point> & { series: SeriesSummary; shown: Shown; lines: TrendLine[] };

export function Trend({ series, shown, lines, ...rest }: Props) {
  const { drawn, axis } = rest;
  const isRate = shown === "throughput";
  const measure = isRate ? RATE : LATENCY;
  const readings = ({ point }: SeriesPoint) => {
    const named: Record<string, number> = { ...point.latency_ns, rate: point.bytes_per_second ?? 0 };
    return lines.map(({ key, label }) => ({ name: label, value: measure.format(named[key] ?? 0) }));
  };
  return (
    <CommitTrend
      {...rest}
      title={isRate ? "Throughput" : upperFirst(timeName(series.case) ?? "latency")}
      what={isRate ? "Payload bytes delivered per second" : lookOf(lines)}
      marks={drawn.some(({ point }) => point.lossy) ? ["crosses lost messages"] : []}
      lines={lines}
      measure={measure}
      table={trendTable(series, drawn)}
      rowOf={(entry) => trendRow(entry, axis, shown)}
      readings={readings}
      remarks={({ point }) => (point.lossy ? ["lossy"] : [])}
    />
  );
}

function lookOf(lines: TrendLine[]): string {
  const tail = lines.some(({ key }) => key === "p90") ? ", dashed p90" : "";
  return `Shaded from p25 to p75, solid the median${tail}`;
}
