/** The series over its commits, or over time. */
import { useQueries } from "@tanstack/react-query";
import { runQuery } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { LATENCY, RATE } from "@/components/chart/measure";
import { TooltipBox } from "@/components/chart/Tooltip";
import { TrendChart } from "@/components/chart/TrendChart";
import { ordinalScale, timeScale } from "@/components/chart/ticks";
import { shortSha } from "@/lib/commits";
import { formatDay, formatMoment } from "@/lib/time";
import { counted } from "@/lib/units";
import {
  changeRules,
  type EnvironmentChange,
  environmentChanges,
  environmentDifference,
  positionOf,
  type SeriesPoint,
  trendLines,
  trendRow,
} from "../data";
import type { Axis, Shown } from "../search";
import { trendTable } from "../tables";

type Props = {
  series: SeriesSummary;
  drawn: SeriesPoint[];
  pinned: SeriesPoint;
  shown: Shown;
  axis: Axis;
  onPin: (runId: string) => void;
  isTable: boolean;
  onTableChange: (isTable: boolean) => void;
};

/** Only this many changes, the newest, are named: each name costs two requests. */
const NAMED_CHANGES_MAX = 3;
const DAY_MS = 86_400_000;

export function Trend({ series, drawn, pinned, shown, axis, onPin, isTable, onTableChange }: Props) {
  const changes = environmentChanges(drawn);
  const rules = changeRules(changes, useDifferences(changes), axis);
  const lines = trendLines(shown);
  const measure = shown === "throughput" ? RATE : LATENCY;
  const positions = drawn.map(({ point }) => positionOf(point, axis));
  const byRun = new Map([...drawn, pinned].map((entry) => [entry.point.run_id, entry]));
  const isOneDay = (positions.at(-1) ?? 0) - (positions[0] ?? 0) < 2 * DAY_MS;
  const values = (entry: SeriesPoint) => {
    const { latency_ns, bytes_per_second } = entry.point;
    const named: Record<string, number> = { ...latency_ns, rate: bytes_per_second ?? 0 };
    return lines.map(({ key, label }) => ({ name: label, value: measure.format(named[key] ?? 0) }));
  };
  return (
    <ChartFrame
      title={shown === "throughput" ? "Throughput" : "Latency"}
      summary={summaryOf(drawn, changes, shown, axis)}
      table={trendTable(series, drawn)}
      isTable={isTable}
      onTableChange={onTableChange}
    >
      <TrendChart
        name={`${shown === "throughput" ? "Throughput" : "Latency"} by ${axis}; arrow keys pin a point`}
        rows={drawn.map((entry) => trendRow(entry, axis, shown))}
        lines={lines}
        rules={rules}
        xScale={axis === "time" ? timeScale(positions) : ordinalScale(positions)}
        xLabel={(x) => (axis === "commits" ? `#${x}` : isOneDay ? momentOf(x) : dayOf(x))}
        measure={measure}
        pinned={trendRow(pinned, axis, shown)}
        onPin={onPin}
        describe={(id) => {
          const entry = byRun.get(id);
          if (entry === undefined) return "a run that the line does not go through";
          const numbers = values(entry).map(({ name, value }) => `${name} ${value}`);
          return `commit ${shortSha(entry.point.commit_sha)}, ${numbers.join(", ")}`;
        }}
        tooltip={(id) => {
          const entry = byRun.get(id);
          if (entry === undefined) return null;
          return (
            <TooltipBox
              heading={
                <>
                  <code>{shortSha(entry.point.commit_sha)}</code> {entry.commit?.subject}
                </>
              }
              rows={values(entry).toReversed()}
              note={remarkOf(entry)}
            />
          );
        }}
      />
    </ChartFrame>
  );
}

/** What changed at each change, for the newest ones. */
function useDifferences(changes: EnvironmentChange[]): string[] {
  const named = changes.slice(-NAMED_CHANGES_MAX);
  const runs = useQueries({
    queries: named.flatMap(({ before, after }) => [runQuery(before.run_id), runQuery(after.run_id)]),
  });
  const unnamed = changes.slice(0, changes.length - named.length).map(() => "environment changed");
  return [
    ...unnamed,
    ...named.map((_, index) => environmentDifference(runs[2 * index]?.data, runs[2 * index + 1]?.data)),
  ];
}

function summaryOf(drawn: SeriesPoint[], changes: EnvironmentChange[], shown: Shown, axis: Axis): string {
  const over = axis === "time" ? counted(drawn.length, "run") : counted(drawn.length, "commit");
  const what =
    shown === "throughput"
      ? "Payload bytes delivered per second"
      : "Shaded from p25 to p75, solid the median, dashed p90";
  const marks = [
    drawn.some(({ point }) => point.work_tree_modified) ? "diamonds had a modified work tree" : null,
    drawn.some(({ point }) => point.lossy) ? "crosses lost messages" : null,
    changes.length > 0 ? "a dotted rule is a change of the environment" : null,
  ].filter((mark) => mark !== null);
  return `${[`${over}. ${what}`, ...marks].join("; ")}.`;
}

function remarkOf({ point, runs }: SeriesPoint): string {
  return [
    formatMoment(point.measured_at),
    ...(runs > 1 ? [`one of ${runs} runs`] : []),
    ...(point.work_tree_modified ? ["modified work tree"] : []),
    ...(point.lossy ? ["lossy"] : []),
  ].join(", ");
}

function momentOf(milliseconds: number): string {
  return formatMoment(new Date(milliseconds).toISOString());
}

function dayOf(milliseconds: number): string {
  return formatDay(new Date(milliseconds).toISOString());
}
