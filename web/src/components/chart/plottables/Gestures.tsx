/**
 * Pointer gestures: hover; click to pin; drag to zoom; Shift-drag to compare; horizontal wheel to scroll; touch to
 * scrub and pin.
 */
import { type PointerEvent, useEffect, useRef, useState } from "react";
import { usePlotArea, useXAxisInverseScale, useXAxisScale, useYAxisScale } from "recharts";
import { usePoint } from "../crosshair";
import { nearestLine, nearestOf } from "../nearest";
import type { Curve } from "./Curves";

type Props = {
  name: string;
  stops: readonly number[];
  curves?: readonly Curve[];
  /** The curve under the pointer. */
  onCurve?: (curve: Curve | null) => void;
  onPin?: (x: number) => void;
  onZoom?: (range: readonly [number, number] | null) => void;
  onCompare?: ((base: number, head: number) => void) | undefined;
  /** Scrolls by units of the axis. */
  onPan?: (by: number) => void;
};

type Drag = { from_px: number; to_px: number; isCompare: boolean };

/** Distance within which the pointer is over a curve. */
const CURVE_REACH_PX = 8;
/** Shorter drags count as clicks. */
const DRAG_MIN_PX = 5;

export function Gestures({ name, stops, curves = [], onCurve, onPin, onZoom, onCompare, onPan }: Props) {
  const area = usePlotArea();
  const scale = useXAxisScale();
  const yScale = useYAxisScale();
  const inverse = useXAxisInverseScale();
  const point = usePoint();
  const [drag, setDrag] = useState<Drag | null>(null);
  const surface = useRef<SVGRectElement>(null);
  const pan = useRef(onPan);
  pan.current = onPan;
  const perPixel = useRef(0);
  perPixel.current =
    area === undefined || inverse === undefined
      ? 0
      : (Number(inverse(area.x + area.width)) - Number(inverse(area.x))) / area.width;

  useEffect(() => () => point(null), [point]);
  useEffect(() => {
    const element = surface.current;
    const onWheel = (event: WheelEvent) => {
      const turned = event.deltaX !== 0 ? event.deltaX : event.shiftKey ? event.deltaY : 0;
      if (turned === 0 || pan.current === undefined) return;
      event.preventDefault();
      pan.current(turned * perPixel.current);
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  });

  if (area === undefined || scale === undefined || inverse === undefined) return null;
  const pxOf = ({ clientX, currentTarget }: PointerEvent<SVGRectElement>) => {
    const left = currentTarget.ownerSVGElement?.getBoundingClientRect().left ?? 0;
    return Math.min(Math.max(clientX - left, area.x), area.x + area.width);
  };
  // Nearest in pixels, which differs from nearest in value on logarithmic axes.
  const stopAt = (px: number) => stops[nearestOf(stops, (x) => scale(x) ?? 0, px)];
  const pointAt = (px: number) => {
    const x = stopAt(px);
    if (x !== undefined) point({ x, source: name });
  };

  const curveAt = ({ clientX, clientY, currentTarget }: PointerEvent<SVGRectElement>) => {
    const { left = 0, top = 0 } = currentTarget.ownerSVGElement?.getBoundingClientRect() ?? {};
    const place = (points: Curve["points"], px: number) => nearestOf(points, ([x]) => scale(x) ?? 0, px);
    const drawn = curves.map(({ points }) =>
      points
        .slice(
          Math.max(0, place(points, clientX - left - CURVE_REACH_PX) - 1),
          place(points, clientX - left + CURVE_REACH_PX) + 2,
        )
        .map(([x, y]) => [scale(x) ?? 0, yScale?.(y) ?? 0] as const),
    );
    return curves[nearestLine(drawn, [clientX - left, clientY - top], CURVE_REACH_PX)] ?? null;
  };

  const onPointerMove = (event: PointerEvent<SVGRectElement>) => {
    const px = pxOf(event);
    pointAt(px);
    onCurve?.(curveAt(event));
    if (drag !== null && event.pointerType !== "touch") setDrag({ ...drag, to_px: px });
  };
  const onPointerDown = (event: PointerEvent<SVGRectElement>) => {
    if (event.button !== 0 || (onPin ?? onZoom) === undefined) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const px = pxOf(event);
    setDrag({ from_px: px, to_px: px, isCompare: event.shiftKey });
    pointAt(px);
  };
  const onPointerUp = (event: PointerEvent<SVGRectElement>) => {
    if (drag === null) return;
    setDrag(null);
    const [from, to] = [drag.from_px, pxOf(event)].sort((a, b) => a - b);
    const [low, high] = [stopAt(from ?? 0), stopAt(to ?? 0)];
    if (low === undefined || high === undefined) return;
    if (event.pointerType === "touch" || (to ?? 0) - (from ?? 0) < DRAG_MIN_PX) onPin?.(high);
    else if (low === high) return;
    else if (drag.isCompare && onCompare !== undefined) onCompare(low, high);
    else onZoom?.([low, high]);
    if (event.pointerType === "touch") point(null);
  };

  return (
    <g>
      {drag !== null && (
        <rect
          className={drag.isCompare ? "stretch stretch-compare" : "stretch"}
          x={Math.min(drag.from_px, drag.to_px)}
          y={area.y}
          width={Math.abs(drag.to_px - drag.from_px)}
          height={area.height}
        />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the chart around it does the same by keyboard. */}
      <rect
        ref={surface}
        className="surface"
        {...area}
        fill="transparent"
        onPointerMove={onPointerMove}
        onPointerDown={onPointerDown}
        onPointerUp={onPointerUp}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => {
          point(null);
          onCurve?.(null);
        }}
        // Without this, Recharts looks for its own tooltip.
        onMouseMove={(event) => event.stopPropagation()}
        onDoubleClick={() => onZoom?.(null)}
      />
    </g>
  );
}
