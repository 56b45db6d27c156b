/**
 * A small line over the full range of a trend, with a window over the visible part. Drag the window or its ends, or focus an
 * end and use the arrow keys.
 */
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { brushed, type End, grabbed, type Range, stepOfKey } from "./brush";
import { AXIS_WIDTH } from "./Plot";
import type { Curve } from "./plottables/Curves";
import { extent } from "./ticks";

type Props = {
  points: Curve["points"];
  extent: Range;
  shown: Range;
  right_px: number;
  label: (x: number) => string;
  onRange: (range: Range) => void;
};

const WIDTH = 1000;
const HEIGHT = 28;
const PADDING = 3;
/** More points would not be visible. */
const POINTS_MAX = 500;

export function RangeBrush({ points, extent, shown, right_px, label, onRange }: Props) {
  const track = useRef<HTMLDivElement>(null);
  const drag = useRef<{ part: End | "window"; from: number; range: Range } | null>(null);
  const [first, last] = extent;
  const seen: Range = [Math.max(first, shown[0]), Math.min(last, shown[1])];
  const shareOf = (x: number) => (x - first) / (last - first || 1);
  const at = ({ clientX }: PointerEvent) => {
    const { left, width } = track.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return { x: first + ((clientX - left) / width) * (last - first), perPixel: (last - first) / width };
  };
  const onPointerDown = (event: PointerEvent) => {
    const { x, perPixel } = at(event);
    const part = grabbed(x, seen, perPixel);
    if (event.button !== 0 || part === null) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { part, from: x, range: seen };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag.current === null) return;
    const { part, from, range } = drag.current;
    onRange(brushed(range, part, at(event).x - from, extent));
  };
  const end = () => {
    drag.current = null;
  };
  const onKeyDown = (event: KeyboardEvent, part: End) => {
    const step = stepOfKey(event.key, extent);
    if (step === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    // The page moves its pin with the same keys.
    event.stopPropagation();
    onRange(brushed(seen, part, step, extent));
  };
  const percent = (x: number) => `${shareOf(x) * 100}%`;
  const ends = [
    ["from", seen[0], "Start of the range"],
    ["to", seen[1], "End of the range"],
  ] as const;
  return (
    <div
      ref={track}
      className="brush"
      style={{ marginLeft: AXIS_WIDTH, marginRight: right_px }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={pathOf(points, shareOf)} />
      </svg>
      <div
        className="brush-window"
        style={{ left: percent(seen[0]), right: `${(1 - shareOf(seen[1])) * 100}%` }}
      />
      {ends.map(([part, x, name]) => (
        <div
          key={part}
          className="brush-end"
          style={{ left: percent(x) }}
          role="slider"
          tabIndex={0}
          aria-label={name}
          aria-valuemin={first}
          aria-valuemax={last}
          aria-valuenow={x}
          aria-valuetext={label(Math.round(x))}
          onKeyDown={(event) => onKeyDown(event, part)}
        />
      ))}
    </div>
  );
}

function pathOf(points: Curve["points"], shareOf: (x: number) => number): string {
  const every = Math.ceil(points.length / POINTS_MAX);
  const drawn = points.filter((_, index) => index % every === 0);
  const { low, high } = extent(drawn.map(([, y]) => y));
  const y = (value: number) =>
    HEIGHT - PADDING - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * PADDING);
  return drawn
    .map(
      ([x, value], index) =>
        `${index === 0 ? "M" : "L"}${(shareOf(x) * WIDTH).toFixed(1)},${y(value).toFixed(1)}`,
    )
    .join("");
}
