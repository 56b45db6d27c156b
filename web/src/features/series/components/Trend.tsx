/** The series over its commits, or over time, with other series beside it. */
import { LATENCY, RATE } from "@/components/chart/measure";
import type { Curve } from "@/components/chart/plottables/Curves";
import type { Change } from "@/components/chart/plottables/Rules";
import { timeName } from "@/lib/imports";
import { upperFirst } from "@/lib/units";
import type { Shown } from "../search";
import type { StopLine } from "../stops";
import { stopsTable } from "../tables";
import { CommitTrend, type TrendProps } from "./CommitTrend";

type Props = TrendProps & { shown: Shown; lines: StopLine[]; others: Curve[]; changes: Change[] };

export function Trend({ shown, lines, others, ...rest }: Props) {
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
