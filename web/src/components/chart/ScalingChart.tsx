/**
 * A time against how many take part: the count doubles from step to step, the time is logarithmic, and every panel of a
 * page has the same axes. Points with more threads than processors are open.
 */
import {
  CartesianGrid,
  type DotItemDotProps,
  Line,
  LineChart,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { formatDividedNs } from "@/lib/units";
import { AXIS, AXIS_WIDTH, GRID, TOOLTIP } from "./axis";
import { lineStyle } from "./lines";
import { LATENCY } from "./measure";
import { Dot } from "./plottables/Dot";
import { TooltipBox } from "./Tooltip";

/** One line of a panel. */
export type ScalingLine = {
  key: string;
  label: string;
  look: number;
  points: { members: number; time_ns: number; isOversubscribed: boolean }[];
};

type Props = {
  name: string;
  lines: ScalingLine[];
  /** Of all panels. */
  members: number[];
  times_ns: number[];
  /** Where it would stay if more members cost nothing. */
  flat_ns: number | null;
  /** What members are: `receivers`. */
  noun: string;
  emphasised: string | null;
};

type Row = { members: number; values: Record<string, number> };

const HEIGHT_PX = 260;

export function ScalingChart({ name, lines, members, times_ns, flat_ns, noun, emphasised }: Props) {
  const yScale = LATENCY.logarithmic(times_ns);
  const rows = members.map((count): Row => {
    const here = lines.flatMap(({ key, points }) =>
      points.filter((point) => point.members === count).map(({ time_ns }) => [key, time_ns] as const),
    );
    return { members: count, values: Object.fromEntries(here) };
  });
  const ends = [Math.min(...members), Math.max(...members)];
  return (
    <div className="chart" role="img" aria-label={name}>
      <ResponsiveContainer
        width="100%"
        height={HEIGHT_PX}
        initialDimension={{ width: 480, height: HEIGHT_PX }}
      >
        <LineChart data={rows} margin={{ top: 10, right: 12, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid {...GRID} />
          <XAxis
            {...AXIS}
            type="number"
            dataKey="members"
            scale="log"
            domain={ends}
            ticks={members}
            padding={{ left: 12, right: 12 }}
            height={28}
            tickMargin={8}
          />
          <YAxis
            {...AXIS}
            scale="log"
            domain={yScale.domain}
            ticks={yScale.ticks}
            tickFormatter={(tick: number) => LATENCY.axisLabels([tick])[0] ?? ""}
            padding={{ top: 6, bottom: 6 }}
            width={AXIS_WIDTH}
          />
          {flat_ns !== null && <ReferenceLine y={flat_ns} stroke="var(--muted)" strokeDasharray="1 4" />}
          {lines.map(({ key, look, points }) => {
            const style = lineStyle(look);
            const isFaded = emphasised !== null && emphasised !== key;
            const opened = points.filter(({ isOversubscribed }) => isOversubscribed);
            return (
              <Line
                key={key}
                className="scaling-line"
                dataKey={(row: Row) => row.values[key]}
                name={key}
                stroke={style.stroke}
                strokeDasharray={style.dash}
                strokeWidth={1.5}
                strokeOpacity={isFaded ? 0.2 : 1}
                connectNulls
                isAnimationActive={false}
                activeDot={false}
                dot={({ cx, cy, key: dotKey, payload }: DotItemDotProps) => (
                  <Dot
                    key={String(dotKey)}
                    x={cx}
                    y={cy}
                    style={style}
                    radius={2.75}
                    isFaded={isFaded}
                    apart={
                      opened.some((point) => point.members === payload.members) ? "oversubscribed" : null
                    }
                  />
                )}
              />
            );
          })}
          <Tooltip
            {...TOOLTIP}
            content={({ active, payload }) => {
              const row = payload?.[0]?.payload as Row | undefined;
              if (active !== true || row === undefined) return null;
              const here = lines.flatMap(({ label, points }) =>
                points
                  .filter((point) => point.members === row.members)
                  .map(({ time_ns, isOversubscribed }) => ({ label, time_ns, isOversubscribed })),
              );
              return (
                <TooltipBox
                  heading={`${row.members} ${noun}`}
                  rows={here
                    .sort((a, b) => a.time_ns - b.time_ns)
                    .map(({ label, time_ns }) => ({ name: label, value: formatDividedNs(time_ns) }))}
                  {...(here.some(({ isOversubscribed }) => isOversubscribed)
                    ? { note: "Open points: more threads than processors." }
                    : {})}
                />
              );
            }}
          />
        </LineChart>
      </ResponsiveContainer>
    </div>
  );
}
