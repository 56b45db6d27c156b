/** A quantity against message size, both logarithmic: one line a transport, named at its end. */
import {
  CartesianGrid,
  type DotItemDotProps,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { formatBytes } from "@/lib/units";
import { AXIS, AXIS_WIDTH, GRID, TOOLTIP } from "./axis";
import { lineStyle, markerPath } from "./lines";
import type { Measure } from "./measure";
import { EndLabels } from "./plottables/EndLabels";
import { TooltipBox } from "./Tooltip";
import { byteScale } from "./ticks";

/** One transport's line. */
export type SweepLine = {
  key: string;
  label: string;
  /** The one that the page is about. */
  current: boolean;
  points: { message_bytes: number; value: number }[];
};

type Props = {
  lines: SweepLine[];
  measure: Measure;
  name: string;
};

type Row = { message_bytes: number; values: Record<string, number> };

const HEIGHT_PX = 300;
const CHARACTER_WIDTH_PX = 7;

export function SweepChart({ lines, measure, name }: Props) {
  const rows = rowsOf(lines);
  const sizes = rows.map(({ message_bytes }) => message_bytes);
  const xScale = byteScale(sizes);
  const yScale = measure.logarithmic(lines.flatMap(({ points }) => points.map(({ value }) => value)));
  const longest = lines.reduce((length, { label }) => Math.max(length, label.length), 0);
  return (
    <div className="chart" role="img" aria-label={name}>
      <ResponsiveContainer
        width="100%"
        height={HEIGHT_PX}
        initialDimension={{ width: 480, height: HEIGHT_PX }}
      >
        <LineChart
          data={rows}
          margin={{ top: 10, right: longest * CHARACTER_WIDTH_PX + 12, bottom: 0, left: 0 }}
          accessibilityLayer={false}
        >
          <CartesianGrid {...GRID} />
          <XAxis
            {...AXIS}
            type="number"
            dataKey="message_bytes"
            scale="log"
            domain={xScale.domain}
            ticks={xScale.ticks}
            tickFormatter={formatBytes}
            padding={{ left: 8, right: 8 }}
            height={28}
            tickMargin={8}
          />
          <YAxis
            {...AXIS}
            scale="log"
            domain={yScale.domain}
            ticks={yScale.ticks}
            tickFormatter={(tick: number) => measure.axisLabels([tick])[0] ?? ""}
            padding={{ top: 6, bottom: 6 }}
            width={AXIS_WIDTH}
          />
          {lines.map((line, index) => {
            const style = lineStyle(index);
            return (
              <Line
                key={line.key}
                className="sweep-line"
                dataKey={(row: Row) => row.values[line.key]}
                name={line.key}
                stroke={style.stroke}
                strokeDasharray={style.dash}
                strokeWidth={line.current ? 2.5 : 1.25}
                connectNulls
                isAnimationActive={false}
                activeDot={false}
                dot={({ cx, cy, key }: DotItemDotProps) => (
                  <path
                    key={String(key)}
                    d={markerPath(style.marker, cx ?? 0, cy ?? 0, line.current ? 3 : 2.25)}
                    fill={style.stroke}
                    stroke="none"
                  />
                )}
              />
            );
          })}
          <EndLabels
            labels={lines.map(({ label, points, current }, index) => ({
              label,
              value: points.at(-1)?.value ?? 0,
              ink: lineStyle(index).ink,
              strong: current,
            }))}
          />
          <Tooltip
            {...TOOLTIP}
            content={({ active, payload }) => {
              const row = payload?.[0]?.payload as Row | undefined;
              if (active !== true || row === undefined) return null;
              const values = lines.flatMap(({ key, label }) => {
                const value = row.values[key];
                return value === undefined ? [] : [{ name: label, value }];
              });
              return (
                <TooltipBox
                  heading={formatBytes(row.message_bytes)}
                  rows={values
                    .sort((a, b) => a.value - b.value)
                    .map((entry) => ({ name: entry.name, value: measure.format(entry.value) }))}
                />
              );
            }}
          />
        </LineChart>
      </ResponsiveContainer>
    </div>
  );
}

function rowsOf(lines: SweepLine[]): Row[] {
  const rows = new Map<number, Row>();
  for (const { key, points } of lines) {
    for (const { message_bytes, value } of points) {
      const row = rows.get(message_bytes) ?? { message_bytes, values: {} };
      row.values[key] = value;
      rows.set(message_bytes, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.message_bytes - b.message_bytes);
}
