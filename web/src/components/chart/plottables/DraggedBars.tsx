/**
 * Bars that can be dragged: by mouse anywhere in the column, by touch at the end, and by arrow keys. Dashed outlines
 * show the original heights.
 */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { usePoint } from "../crosshair";
import { barAfter, countAfter, countAt } from "../dragged";
import { usePlot } from "../usePlot";
import { type Bar, middleOf } from "./Bars";

type Props = {
  name: string;
  bars: Bar[];
  start: Bar[];
  /** The count at the upper end of the axis. */
  top: number;
  textOf: (place: number) => string;
  onDrag: (place: number, count: number) => void;
  onHold: (isHeld: boolean) => void;
};

/** Minimum height of non-empty bars. */
const HEIGHT_MIN_PX = 2;
/** Minimum width of the draggable area. */
const WIDTH_MIN_PX = 2;
const COLUMN_MIN_PX = 9;
/** Touch area around the end of a bar. */
const GRIP_PX = 36;

export function DraggedBars({ name, bars, start, top, textOf, onDrag, onHold }: Props) {
  const plot = usePlot();
  const point = usePoint();
  const group = useRef<SVGGElement>(null);
  const [current, setCurrent] = useState(0);
  const [held, setHeld] = useState<number | null>(null);
  if (plot === null) return null;
  const { area, bottom: base, x, y } = plot;
  const boxOf = ({ from, to, count }: Bar) => {
    const [left, right] = [x(Math.max(1, from)), x(to)];
    const height = count === 0 ? 0 : Math.max(HEIGHT_MIN_PX, base - Math.max(area.y, y(count)));
    return { x: left, y: base - height, width: Math.max(WIDTH_MIN_PX, right - left - 1), height };
  };
  const columnOf = ({ x, width }: { x: number; width: number }) => {
    const wide = Math.max(COLUMN_MIN_PX, width + 1);
    return { x: x + (width - wide) / 2, width: wide };
  };
  const pointAt = (bar: Bar) => point({ x: middleOf(bar), source: name });

  const onKeyDown = (event: KeyboardEvent, place: number) => {
    const bar = bars[place];
    if (bar === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const [to, count] = [barAfter(event.key, place, bars.length), countAfter(event.key, bar.count, top)];
    if (to === null && count === null) return;
    event.preventDefault();
    if (count !== null) onDrag(place, count);
    if (to !== null) group.current?.querySelectorAll<SVGGElement>("[role=slider]")[to]?.focus();
  };
  const drag = ({ clientY, currentTarget }: PointerEvent<SVGGElement>, place: number) => {
    const above = currentTarget.ownerSVGElement?.getBoundingClientRect().top ?? 0;
    onDrag(place, countAt(base - (clientY - above), area.height, top));
  };
  const onPointerDown = (event: PointerEvent<SVGGElement>, place: number) => {
    const isGrip = event.target instanceof Element && event.target.matches(".grip");
    // Touches elsewhere scroll the page.
    if (event.button !== 0 || (event.pointerType === "touch" && !isGrip)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setHeld(place);
    onHold(true);
    drag(event, place);
  };
  const release = () => {
    setHeld(null);
    onHold(false);
  };

  return (
    <g ref={group} className="dragged-bars">
      {bars.map((bar, place) => {
        const [box, before] = [boxOf(bar), start[place]];
        const column = columnOf(box);
        const isMoved = before !== undefined && (before.count !== bar.count || before.from !== bar.from);
        return (
          <g
            key={before?.from ?? bar.from}
            role="slider"
            tabIndex={place === Math.min(current, bars.length - 1) ? 0 : -1}
            aria-label={`${bar.from} to ${bar.to - 1} bytes`}
            aria-orientation="vertical"
            aria-valuemin={0}
            aria-valuemax={Math.max(bar.count, Math.round(top))}
            aria-valuenow={bar.count}
            aria-valuetext={textOf(place)}
            data-held={held === place ? "" : undefined}
            onFocus={() => {
              setCurrent(place);
              pointAt(bar);
            }}
            onBlur={() => point(null)}
            onKeyDown={(event) => onKeyDown(event, place)}
            onPointerEnter={() => held === null && pointAt(bar)}
            onPointerLeave={() => held === null && point(null)}
            onPointerDown={(event) => onPointerDown(event, place)}
            onPointerMove={(event) => held === place && drag(event, place)}
            onPointerUp={release}
            onPointerCancel={release}
          >
            <rect className="column" y={area.y} height={area.height} {...column} />
            {isMoved && before.count > 0 && <rect className="before" {...boxOf(before)} />}
            <rect className="bar" {...box} />
            <path className="bar-end" d={`M${box.x},${box.y}h${box.width}`} />
            <rect className="grip" {...column} y={box.y - GRIP_PX / 2} height={GRIP_PX} />
          </g>
        );
      })}
    </g>
  );
}
