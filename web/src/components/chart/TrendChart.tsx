/**
 * Values by commit or by time: one band, a few lines named at their ends, marks for points that are not
 * ordinary, and vertical rules where the environment changed. One point at a time is pinned, by pointer or by
 * arrow keys; to a screen reader the chart is a slider over its points.
 */
import type { KeyboardEvent, ReactNode } from "react";
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { AXIS, AXIS_WIDTH, GRID, TOOLTIP } from "./axis";
import type { Measure } from "./measure";
import { Boxes } from "./plottables/Boxes";
import { EndLabels } from "./plottables/EndLabels";
import { type Mark, PointMarks } from "./plottables/PointMarks";
import type { Scale } from "./ticks";

/** One point: where it stands and what was measured. */
export type TrendRow = {
  id: string;
  x: number;
  mark: Mark;
  band: [number, number] | null;
  values: Record<string, number>;
};

/** One line: the name of its values and its look. */
export type TrendLine = {
  key: string;
  label: string;
  stroke: string;
  ink: string;
  dash: string;
  width: number;
};

/** A vertical rule between two points. */
export type TrendRule = { x: number; label: string };

type Props = {
  rows: TrendRow[];
  lines: TrendLine[];
  rules: TrendRule[];
  xScale: Scale;
  xLabel: (x: number) => string;
  measure: Measure;
  /** The pinned point; the lines need not go through it. */
  pinned: TrendRow;
  onPin: (id: string) => void;
  name: string;
  /** Says a point in words. */
  describe: (id: string) => string;
  tooltip: (id: string) => ReactNode;
};

/** Up to this many points each get a dot; beyond, dots hide the line and slow the chart down. */
const DOTS_MAX = 60;
/** Up to this many points are drawn as boxes too. */
const BOXES_MAX = 3;
const HEIGHT_PX = 300;
const LABEL_ROOM_MIN_PX = 48;
const LABEL_GAP_PX = 14;
const LABEL_CHARACTER_PX = 7.5;

export function TrendChart(props: Props) {
  const { rows, lines, rules, xScale, pinned, onPin } = props;
  const yScale = props.measure.linear(
    rows.flatMap((row) => [...lines.map(({ key }) => row.values[key] ?? 0), ...(row.band ?? [])]),
  );
  const yLabels = props.measure.axisLabels(yScale.ticks);
  const isDrawn = rows.some(({ id }) => id === pinned.id);
  const pinnedIndex = rows.findIndex(({ id, x }) => (isDrawn ? id === pinned.id : x >= pinned.x));
  const last = rows.at(-1);
  const firstLine = lines[0]?.key ?? "";

  // A line of one point is given a dot of its own unless another is offered.
  const loneDot = rows.length === 1 ? noDot : false;
  const endLabels = lines.map(({ key, label, ink }) => {
    const value = last?.values[key] ?? 0;
    return { label: rows.length === 1 ? `${label} ${props.measure.format(value)}` : label, ink, value };
  });

  const pinIndex = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (row !== undefined) onPin(row.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOfKey(event.key, pinnedIndex, rows.length - 1);
    if (target === null) return;
    event.preventDefault();
    pinIndex(target);
  };

  return (
    <div
      className="chart chart-pinning"
      role="slider"
      tabIndex={0}
      aria-label={props.name}
      aria-valuemin={1}
      aria-valuemax={rows.length}
      aria-valuenow={pinnedIndex + 1}
      aria-valuetext={props.describe(pinned.id)}
      onKeyDown={onKeyDown}
    >
      <ResponsiveContainer
        width="100%"
        height={HEIGHT_PX}
        initialDimension={{ width: 720, height: HEIGHT_PX }}
      >
        <ComposedChart
          data={rows}
          margin={{ top: 22, right: labelRoom(lines), bottom: 0, left: 0 }}
          accessibilityLayer={false}
          onClick={({ activeTooltipIndex }) => {
            if (activeTooltipIndex != null) pinIndex(Number(activeTooltipIndex));
          }}
        >
          <CartesianGrid {...GRID} />
          <XAxis
            {...AXIS}
            type="number"
            dataKey="x"
            domain={xScale.domain}
            ticks={xScale.ticks}
            tickFormatter={props.xLabel}
            padding={{ left: 14, right: 14 }}
            height={28}
            tickMargin={8}
          />
          <YAxis
            {...AXIS}
            domain={yScale.domain}
            ticks={yScale.ticks}
            tickFormatter={(tick: number) => yLabels[yScale.ticks.indexOf(tick)] ?? ""}
            width={AXIS_WIDTH}
          />
          {rules.map(({ x, label }) => (
            <ReferenceLine
              key={x}
              x={x}
              stroke="var(--muted)"
              strokeDasharray="2 3"
              label={{ value: label, position: "insideTopLeft", fill: "var(--muted)", dy: -22, dx: -4 }}
            />
          ))}
          <ReferenceLine x={pinned.x} stroke="var(--rule-strong)" />
          <Area
            dataKey="band"
            stroke="none"
            fill="var(--band)"
            fillOpacity={1}
            isAnimationActive={false}
            activeDot={false}
            dot={loneDot}
          />
          {lines.map((line) => (
            <Line
              key={line.key}
              dataKey={(row: TrendRow) => row.values[line.key]}
              name={line.label}
              stroke={line.stroke}
              strokeWidth={line.width}
              strokeDasharray={line.dash}
              dot={loneDot}
              activeDot={{ r: 3, stroke: "none", fill: line.stroke }}
              isAnimationActive={false}
            />
          ))}
          {rows.length <= BOXES_MAX && <Boxes rows={rows} lines={lines} />}
          <PointMarks
            points={[...rows, ...(isDrawn ? [] : [pinned])].map(({ id, x, mark, values }) => ({
              id,
              x,
              mark,
              y: values[firstLine] ?? 0,
            }))}
            pinned={pinned.id}
            dots={rows.length <= DOTS_MAX}
          />
          <EndLabels labels={endLabels} beside={rows.length === 1 ? last?.x : undefined} />
          <Tooltip
            {...TOOLTIP}
            content={({ active, payload }) => {
              const row = payload?.[0]?.payload as TrendRow | undefined;
              return active === true && row !== undefined ? props.tooltip(row.id) : null;
            }}
          />
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}

/** Room for the names at the lines' ends. */
function labelRoom(lines: TrendLine[]): number {
  const longest = lines.reduce((most, { label }) => Math.max(most, label.length), 0);
  return Math.max(LABEL_ROOM_MIN_PX, LABEL_GAP_PX + longest * LABEL_CHARACTER_PX);
}

function noDot() {
  return null;
}

/** The point that a key leads to; `null` for keys that mean nothing here. */
function targetOfKey(key: string, current: number, last: number): number | null {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return current - 1;
    case "ArrowRight":
    case "ArrowUp":
      return current + 1;
    case "PageDown":
      return current - 10;
    case "PageUp":
      return current + 10;
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
