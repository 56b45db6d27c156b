/** A quantity against message size, both logarithmic: one line a transport, named at its end. */
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
import { groupBy } from "@/lib/collections";
import { formatBytes } from "@/lib/units";
import { AXIS, AXIS_WIDTH, GRID, TOOLTIP } from "./axis";
import { lineStyle } from "./lines";
import type { Measure } from "./measure";
import { type CrossingMark, Crossings, crossingsHeight } from "./plottables/Crossings";
import { Dot } from "./plottables/Dot";
import { EndLabels } from "./plottables/EndLabels";
import { TooltipBox } from "./Tooltip";
import { byteScale } from "./ticks";
import { useIsNarrow } from "./useIsNarrow";

/** One place on a line. */
export type SweepPoint = {
  message_bytes: number;
  value: number;
  /** Points of different pieces are not joined. */
  piece?: number;
  /** Why it is not to be read beside the others, which its shape says. */
  apart?: "lossy" | "environment" | null;
};

/** One transport's line. */
export type SweepLine = {
  key: string;
  label: string;
  /** The one that the page is about. */
  current: boolean;
  /** Which of the looks it has; its place, unless lines come and go. */
  look?: number;
  points: SweepPoint[];
};

type Props = {
  lines: SweepLine[];
  measure: Measure;
  name: string;
  height_px?: number;
  /** The room at the right, where another chart shares the axis. */
  right_px?: number;
  /** What the horizontal axis has to cover besides the lines. */
  sizes?: number[];
  /** And the vertical one. */
  values?: number[];
  crossings?: CrossingMark[];
  /** The lines that stand out; the others are faded. Without any, all of them are as they are. */
  emphasised?: ReadonlySet<string>;
  /** What pointing at a line's name and clicking it does, where a page has buttons for the same. */
  onPoint?: (key: string | null) => void;
  onPick?: (key: string) => void;
  /** Where the pointer is in this chart, and in another one that shares the axis. */
  onCursor?: (message_bytes: number | null) => void;
  cursor?: number | null;
  /** What else is to be said of a size. */
  note?: (message_bytes: number) => string;
};

type Row = { message_bytes: number; values: Record<string, number> };

const HEIGHT_PX = 300;
const CHARACTER_WIDTH_PX = 7;
/** On a narrow screen, names that are buttons anyway leave the room to the lines. */
const MARGIN_NARROW_PX = 12;

/** The room at the right of lines with such names, where these stand there. */
export function sweepMargin(lines: Pick<SweepLine, "label">[], isNarrow: boolean): number {
  if (isNarrow) return MARGIN_NARROW_PX;
  return lines.reduce((length, { label }) => Math.max(length, label.length), 0) * CHARACTER_WIDTH_PX + 12;
}

export function SweepChart({
  lines,
  measure,
  name,
  height_px = HEIGHT_PX,
  right_px,
  sizes = [],
  values = [],
  crossings = [],
  emphasised = new Set(),
  onPoint,
  onPick,
  onCursor,
  cursor = null,
  note,
}: Props) {
  const isNarrow = useIsNarrow();
  const hasLabels = !isNarrow || onPick === undefined;
  const rows = rowsOf(lines);
  const xScale = byteScale([...sizes, ...rows.map(({ message_bytes }) => message_bytes)]);
  const yScale = measure.logarithmic([
    ...values,
    ...lines.flatMap(({ points }) => points.map(({ value }) => value)),
  ]);
  const marks = isNarrow ? crossings.map((mark) => ({ ...mark, label: "" })) : crossings;
  const isFaded = (key: string) => emphasised.size > 0 && !emphasised.has(key);
  const keyOf = (label: string | null) => lines.find((line) => line.label === label)?.key ?? null;
  return (
    <div className="chart" role="img" aria-label={name}>
      <ResponsiveContainer
        width="100%"
        height={height_px}
        initialDimension={{ width: 480, height: height_px }}
      >
        <LineChart
          data={rows}
          margin={{
            top: isNarrow ? 10 : Math.max(10, crossingsHeight(marks.length)),
            right: right_px ?? sweepMargin(lines, !hasLabels),
            bottom: 0,
            left: 0,
          }}
          accessibilityLayer={false}
          onMouseMove={({ activeLabel }) =>
            onCursor?.(activeLabel === undefined ? null : Number(activeLabel))
          }
          onMouseLeave={() => onCursor?.(null)}
        >
          <Crossings crossings={marks} />
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
          {cursor !== null && <ReferenceLine x={cursor} stroke="var(--rule-strong)" />}
          {lines.flatMap((line, index) => {
            const style = lineStyle(line.look ?? index);
            return piecesOf(line).map(({ piece, points }) => (
              <Line
                key={`${line.key} ${piece}`}
                className="sweep-line"
                dataKey={(row: Row) => row.values[valueKey(line.key, piece)]}
                name={line.key}
                stroke={style.stroke}
                strokeDasharray={style.dash}
                strokeWidth={line.current ? 2.5 : 1.25}
                strokeOpacity={isFaded(line.key) ? 0.2 : 1}
                connectNulls
                isAnimationActive={false}
                activeDot={false}
                dot={({ cx, cy, key, payload }: DotItemDotProps) => (
                  <Dot
                    key={String(key)}
                    x={cx}
                    y={cy}
                    style={style}
                    radius={line.current ? 3 : 2.25}
                    isFaded={isFaded(line.key)}
                    apart={
                      points.find(({ message_bytes }) => message_bytes === payload.message_bytes)?.apart ??
                      null
                    }
                  />
                )}
              />
            ));
          })}
          {hasLabels && (
            <EndLabels
              labels={lines.map(({ key, label, points, current, look }, index) => ({
                label,
                value: points.at(-1)?.value ?? 0,
                ink: lineStyle(look ?? index).ink,
                strong: current,
                isFaded: isFaded(key),
                ...threadOf(points, rows),
              }))}
              onPoint={onPoint && ((label) => onPoint(keyOf(label)))}
              onPick={
                onPick &&
                ((label) => {
                  const key = keyOf(label);
                  if (key !== null) onPick(key);
                })
              }
            />
          )}
          <Tooltip
            {...TOOLTIP}
            content={({ active, payload }) => {
              const row = payload?.[0]?.payload as Row | undefined;
              if (active !== true || row === undefined) return null;
              const here = lines.flatMap(({ label, points }) =>
                points
                  .filter(({ message_bytes }) => message_bytes === row.message_bytes)
                  .map(({ value, apart }) => ({ label, value, apart })),
              );
              return (
                <TooltipBox
                  heading={formatBytes(row.message_bytes)}
                  rows={here
                    .sort((a, b) => a.value - b.value)
                    .map(({ label, value, apart }) => ({
                      name: apart === "lossy" ? `${label}, lossy` : label,
                      value: measure.format(value),
                    }))}
                  {...(note === undefined ? {} : { note: note(row.message_bytes) })}
                />
              );
            }}
          />
        </LineChart>
      </ResponsiveContainer>
    </div>
  );
}

/** Where a line ends, if others go on. */
function threadOf(points: SweepPoint[], rows: Row[]): { end?: number } {
  const [end, last] = [points.at(-1)?.message_bytes, rows.at(-1)?.message_bytes];
  return end === undefined || end === last ? {} : { end };
}

/** The stretches of a line that are joined. */
function piecesOf({ points }: SweepLine): { piece: number; points: SweepPoint[] }[] {
  return [...groupBy(points, ({ piece = 0 }) => piece).entries()].map(([piece, own]) => ({
    piece,
    points: own,
  }));
}

function valueKey(line: string, piece: number): string {
  return `${line} ${piece}`;
}

function rowsOf(lines: SweepLine[]): Row[] {
  const rows = new Map<number, Row>();
  for (const { key, points } of lines) {
    for (const { message_bytes, value, piece = 0 } of points) {
      const row = rows.get(message_bytes) ?? { message_bytes, values: {} };
      row.values[valueKey(key, piece)] = value;
      rows.set(message_bytes, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.message_bytes - b.message_bytes);
}
