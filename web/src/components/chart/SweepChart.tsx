/** A quantity by message size, both logarithmic: one line per transport, labelled at its end. */
import { ascending, distinct, groupBy } from "@/lib/collections";
import { formatBytes } from "@/lib/units";
import { lineStyle } from "./lines";
import { byteAxis, logAxis, type Measure } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { type CrossingMark, Crossings, crossingsHeight } from "./plottables/Crossings";
import { Curves } from "./plottables/Curves";
import { Dots } from "./plottables/Dots";
import { EndLabels } from "./plottables/EndLabels";
import { TooltipBox } from "./Tooltip";
import { useIsNarrow } from "./useIsNarrow";

export type SweepPoint = {
  message_bytes: number;
  value: number;
  piece?: number;
  /** Why the point is not comparable; selects its shape. */
  apart?: "lossy" | "environment" | null;
};

export type SweepLine = {
  key: string;
  label: string;
  current: boolean;
  /** Index of its style; its position unless lines can be hidden. */
  look?: number;
  points: SweepPoint[];
};

type Props = {
  lines: SweepLine[];
  measure: Measure;
  name: string;
  height_px?: number;
  /** Right margin, if another chart shares the axis. */
  right_px?: number;
  /** Sizes that the axis must include besides those of the lines. */
  sizes?: number[];
  values?: number[];
  crossings?: CrossingMark[];
  /** Highlighted lines; the others are faded. Empty: no highlighting. */
  emphasised?: ReadonlySet<string>;
  /** Handlers for names of lines, if the page has equivalent buttons. */
  onPoint?: (key: string | null) => void;
  onPick?: (key: string) => void;
  /** A note for the tooltip. */
  note?: (message_bytes: number) => string;
};

const HEIGHT_PX = 300;
const CHARACTER_WIDTH_PX = 7;
/** On narrow screens, names are omitted if there are buttons. */
const MARGIN_NARROW_PX = 12;

/** The right margin for line names. */
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
  note,
}: Props) {
  const isNarrow = useIsNarrow();
  const hasLabels = !isNarrow || onPick === undefined;
  const stops = distinct(
    lines.flatMap(({ points }) => points.map(({ message_bytes }) => message_bytes)),
  ).sort(ascending);
  const marks = isNarrow ? crossings.map((mark) => ({ ...mark, label: "" })) : crossings;
  const keyOf = (label: string | null) => lines.find((line) => line.label === label)?.key ?? null;
  const drawn = lines.map((line, index) => ({
    ...line,
    style: lineStyle(line.look ?? index),
    isFaded: emphasised.size > 0 && !emphasised.has(line.key),
  }));
  const curves = drawn.flatMap(({ key, label, current, style, isFaded, points }) =>
    piecesOf(points).map((piece, place) => ({
      key: `${key} ${place}`,
      label,
      ...style,
      width: current ? 2.5 : 1.25,
      isFaded,
      points: piece.map(({ message_bytes, value }) => [message_bytes, value] as const),
    })),
  );
  return (
    <PointedPlot
      name={name}
      stops={stops}
      curves={curves}
      tooltip={(x) => <SizeTooltip lines={lines} message_bytes={x} measure={measure} note={note?.(x)} />}
      height_px={height_px}
      top_px={isNarrow ? 10 : Math.max(10, crossingsHeight(marks.length))}
      right_px={right_px ?? sweepMargin(lines, !hasLabels)}
      x={byteAxis([...sizes, ...stops])}
      y={{
        ...logAxis(measure, [...values, ...lines.flatMap(({ points }) => points.map(({ value }) => value))]),
        padding_px: 6,
      }}
    >
      <Crossings crossings={marks} />
      <Curves curves={curves} />
      <Dots
        lines={drawn.map(({ key, style, current, isFaded, points }) => ({
          key,
          style,
          radius: current ? 3 : 2.25,
          isFaded,
          points: points.map(({ message_bytes, value, apart = null }) => ({
            x: message_bytes,
            y: value,
            apart,
          })),
        }))}
      />
      {hasLabels && (
        <EndLabels
          labels={drawn.map(({ label, points, current, style, isFaded }) => ({
            label,
            value: points.at(-1)?.value ?? 0,
            ink: style.ink,
            strong: current,
            isFaded,
            ...threadOf(points, stops),
          }))}
          onPoint={onPoint && ((label) => onPoint(keyOf(label)))}
          onPick={onPick && ((label) => onPick(keyOf(label) ?? ""))}
        />
      )}
    </PointedPlot>
  );
}

type TooltipProps = {
  lines: SweepLine[];
  message_bytes: number;
  measure: Measure;
  note: string | undefined;
};

function SizeTooltip({ lines, message_bytes, measure, note }: TooltipProps) {
  const here = lines
    .flatMap(({ label, points }) =>
      points.filter((point) => point.message_bytes === message_bytes).map((point) => ({ label, ...point })),
    )
    .sort((a, b) => a.value - b.value);
  return (
    <TooltipBox
      heading={formatBytes(message_bytes)}
      rows={here.map(({ label, value, apart }) => ({
        name: apart === "lossy" ? `${label}, lossy` : label,
        value: measure.format(value),
      }))}
      note={note}
    />
  );
}

function threadOf(points: SweepPoint[], stops: number[]): { end?: number } {
  const [end, last] = [points.at(-1)?.message_bytes, stops.at(-1)];
  return end === undefined || end === last ? {} : { end };
}

function piecesOf(points: SweepPoint[]): SweepPoint[][] {
  return [...groupBy(points, ({ piece = 0 }) => piece).values()];
}
