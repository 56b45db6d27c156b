/** A line of points over commits, or over time, measured or stated: with its tooltip, its marks and its table. */
import { useQueries } from "@tanstack/react-query";
import { runQuery } from "@/api/queries";
import { ChartFrame, type ChartTable } from "@/components/chart/ChartFrame";
import type { Measure } from "@/components/chart/measure";
import { TooltipBox } from "@/components/chart/Tooltip";
import { TrendChart, type TrendLine, type TrendRow } from "@/components/chart/TrendChart";
import { ordinalScale, timeScale } from "@/components/chart/ticks";
import { shortSha } from "@/lib/commits";
import { formatDay, formatMoment } from "@/lib/time";
import { counted } from "@/lib/units";
import {
  changeRules,
  type EnvironmentChange,
  environmentChanges,
  environmentDifference,
  type Placed,
  positionOf,
  type SeriesPoint,
} from "../data";
import type { Axis } from "../search";

/** A value of a point by its name, as the tooltip has it. */
type Reading = { name: string; value: string };

/** What a trend is given by the page, whatever it draws. */
export type TrendProps<P extends Placed> = {
  drawn: SeriesPoint<P>[];
  pinned: SeriesPoint<P>;
  axis: Axis;
  onPin: (runId: string) => void;
};

type Props<P extends Placed> = TrendProps<P> & {
  title: string;
  /** What the lines are, for the sentence above the chart. */
  what: string;
  /** What marks mean, as far as there are any. */
  marks: string[];
  lines: TrendLine[];
  measure: Measure;
  table: ChartTable;
  rowOf: (entry: SeriesPoint<P>) => TrendRow;
  /** The values of a point, of the lines from below. */
  readings: (entry: SeriesPoint<P>) => Reading[];
  /** What is unusual about a point. */
  remarks: (entry: SeriesPoint<P>) => string[];
};

/** Only this many changes, the newest, are named: each name costs two requests. */
const NAMED_CHANGES_MAX = 3;
const DAY_MS = 86_400_000;

export function CommitTrend<P extends Placed>(props: Props<P>) {
  const { title, drawn, pinned, axis, readings, remarks, rowOf } = props;
  const changes = environmentChanges(drawn);
  const rules = changeRules(changes, useDifferences(changes), axis);
  const positions = drawn.map(({ point }) => positionOf(point, axis));
  const byRun = new Map([...drawn, pinned].map((entry) => [entry.point.run_id, entry]));
  const isOneDay = (positions.at(-1) ?? 0) - (positions[0] ?? 0) < 2 * DAY_MS;
  const over = axis === "time" ? counted(drawn.length, "run") : counted(drawn.length, "commit");
  const marks = [
    ...(drawn.some(({ point }) => point.work_tree_modified) ? ["diamonds had a modified work tree"] : []),
    ...props.marks,
    ...(changes.length > 0 ? ["a dotted rule is a change of the environment"] : []),
  ];
  return (
    <ChartFrame
      name="trend"
      title={title}
      summary={`${[`${over}. ${props.what}`, ...marks].join("; ")}.`}
      table={props.table}
    >
      <TrendChart
        name={`${title} by ${axis}; arrow keys pin a point`}
        rows={drawn.map(rowOf)}
        lines={props.lines}
        rules={rules}
        xScale={axis === "time" ? timeScale(positions) : ordinalScale(positions)}
        xLabel={(x) => (axis === "commits" ? `#${x}` : isOneDay ? momentOf(x) : dayOf(x))}
        measure={props.measure}
        pinned={rowOf(pinned)}
        onPin={props.onPin}
        describe={(id) => {
          const entry = byRun.get(id);
          if (entry === undefined) return "a run that the line does not go through";
          const numbers = readings(entry).map(({ name, value }) => `${name} ${value}`);
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
              rows={readings(entry).toReversed()}
              note={noteOf(entry, remarks(entry))}
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

function noteOf({ point, runs }: SeriesPoint<Placed>, remarks: string[]): string {
  return [
    formatMoment(point.measured_at),
    ...(runs > 1 ? [`one of ${runs} runs`] : []),
    ...(point.work_tree_modified ? ["modified work tree"] : []),
    ...remarks,
  ].join(", ");
}

function momentOf(milliseconds: number): string {
  return formatMoment(new Date(milliseconds).toISOString());
}

function dayOf(milliseconds: number): string {
  return formatDay(new Date(milliseconds).toISOString());
}
