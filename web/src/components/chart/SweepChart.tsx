/** A quantity by message size, both logarithmic: one line per transport, labelled at its end. */
import { useState } from "react";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { formatBytes } from "@/lib/units";
import { LineSample } from "./LineSample";
import { colouredOf, contextStyle, type LineStyle, lineStyle } from "./lines";
import { byteAxis, logAxis, type Measure } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { type CrossingMark, Crossings, crossingsHeight } from "./plottables/Crossings";
import { Curves } from "./plottables/Curves";
import { Dots } from "./plottables/Dots";
import { EndLabels, LABEL_HEIGHT_PX, MARKS_PX } from "./plottables/EndLabels";
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
  /** Whether it is in colour. The others are grey until hovered or focused; without current lines, all are in colour. */
  current: boolean;
  /** By default, one by position, of which 16 are distinct. */
  style?: LineStyle;
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
  /** A click on the name of a line, if the page has equivalent buttons, which are also its legend. */
  onPick?: (key: string) => void;
  /** Whether it is one of several panels: without names at the lines, and with the current lines in the tooltip. */
  isPanel?: boolean;
  /** A note for the tooltip. */
  note?: (message_bytes: number) => string;
};

const HEIGHT_PX = 300;
const CHARACTER_WIDTH_PX = 7;
/** On narrow screens, names are in a legend below. */
const MARGIN_NARROW_PX = 12;
/** Height of the labels of the horizontal axis. */
const AXIS_PX = 30;

/** The right margin for line names. */
export function sweepMargin(lines: Pick<SweepLine, "label">[], isNarrow: boolean): number {
  if (isNarrow) return MARGIN_NARROW_PX;
  return (
    lines.reduce((length, { label }) => Math.max(length, label.length), 0) * CHARACTER_WIDTH_PX +
    MARKS_PX +
    12
  );
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
  onPick,
  isPanel = false,
  note,
}: Props) {
  const isNarrow = useIsNarrow() || isPanel;
  const [pointed, setPointed] = useState<string | null>(null);
  const highlighted = pointed === null ? emphasised : new Set([pointed]);
  const stops = distinct(
    lines.flatMap(({ points }) => points.map(({ message_bytes }) => message_bytes)),
  ).sort(ascending);
  const marks = isNarrow ? crossings.map((mark) => ({ ...mark, label: "" })) : crossings;
  const top_px = isNarrow ? 10 : Math.max(10, crossingsHeight(marks.length));
  const keyOf = (label: string | undefined) => lines.find((line) => line.label === label)?.key ?? null;
  const coloured = colouredOf(lines);
  const styled = lines.map((line, index) => {
    const style = line.style ?? lineStyle(index);
    return {
      ...line,
      style: coloured.has(line.key) || highlighted.has(line.key) ? style : contextStyle(style),
      isFaded: highlighted.size > 0 && !highlighted.has(line.key),
    };
  });
  // The last is on top.
  const drawn = styled.toSorted(
    (a, b) => Number(b.isFaded) - Number(a.isFaded) || Number(a.current) - Number(b.current),
  );
  const curves = drawn.flatMap(({ key: lineKey, label, current, style, isFaded, points }) =>
    piecesOf(points).map((piece, place) => ({
      key: `${lineKey} ${place}`,
      label,
      ...style,
      width: current || highlighted.has(lineKey) ? 2.5 : 1.25,
      isFaded,
      points: piece.map(({ message_bytes, value }) => [message_bytes, value] as const),
    })),
  );
  return (
    <>
      <PointedPlot
        name={name}
        stops={stops}
        curves={curves}
        tooltip={(x) => (
          <SizeTooltip
            lines={isPanel ? lines.filter(({ current }) => current) : lines}
            message_bytes={x}
            measure={measure}
            note={note?.(x)}
          />
        )}
        gestures={{ onCurve: (curve) => setPointed(keyOf(curve?.label)) }}
        height_px={
          isNarrow ? height_px : Math.max(height_px, lines.length * LABEL_HEIGHT_PX + top_px + AXIS_PX)
        }
        top_px={top_px}
        right_px={right_px ?? sweepMargin(lines, isNarrow)}
        x={byteAxis([...sizes, ...stops])}
        y={{
          ...logAxis(measure, [
            ...values,
            ...lines.flatMap(({ points }) => points.map(({ value }) => value)),
          ]),
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
        {!isNarrow && (
          <EndLabels
            // Not reordered: a moved element would miss that the pointer leaves it.
            labels={styled.map(({ label, points, current, style, isFaded }) => ({
              label,
              value: points.at(-1)?.value ?? 0,
              ink: style.ink,
              mark: style,
              strong: current,
              isFaded,
              ...endOf(points, stops),
            }))}
            onPoint={(label) => setPointed(keyOf(label ?? undefined))}
            onPick={onPick && ((label) => onPick(keyOf(label) ?? ""))}
          />
        )}
      </PointedPlot>
      {isNarrow && !isPanel && onPick === undefined && (
        <ul className="line-choice">
          {styled.map(({ key, label, style }) => (
            <li key={key}>
              <LineSample style={style} />
              {label}
            </li>
          ))}
        </ul>
      )}
    </>
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

function endOf(points: SweepPoint[], stops: number[]): { end?: number } {
  const [end, last] = [points.at(-1)?.message_bytes, stops.at(-1)];
  return end === undefined || end === last ? {} : { end };
}

function piecesOf(points: SweepPoint[]): SweepPoint[][] {
  return [...groupBy(points, ({ piece = 0 }) => piece).values()];
}
