/** The crosshair of one chart: a vertical line, dots on lines, and a tooltip at the chart under the pointer. */
import type { ReactNode, RefObject } from "react";
import { createPortal } from "react-dom";
import { useCrosshair } from "../crosshair";
import { nearest, nearestOf } from "../nearest";
import { usePlot } from "../usePlot";
import type { Curve } from "./Curves";

type Props = {
  name: string;
  /** Possible positions while the pointer is over this chart, ascending. */
  stops: readonly number[];
  curves: readonly Curve[];
  within: RefObject<HTMLElement | null>;
  tooltip: (x: number) => ReactNode;
};

/** Tolerance for matching points: charts with a common crosshair can have different positions. */
const NEAR_PX = 2;

export function CrosshairMark({ name, stops, curves, within, tooltip }: Props) {
  const crosshair = useCrosshair();
  const plot = usePlot();
  if (crosshair === null || plot === null) return null;
  const { area, right, bottom } = plot;
  const isHere = crosshair.source === name;
  const x = isHere ? stops[nearest(stops, crosshair.x)] : crosshair.x;
  if (x === undefined) return null;
  const at = plot.x(x);
  if (at < area.x - 1 || at > right + 1) return null;
  return (
    <g pointerEvents="none">
      <path d={`M${at},${area.y}V${bottom}`} stroke="var(--rule-strong)" />
      {curves.map(({ key, stroke, points }) => {
        const [px, y] = points[nearestOf(points, ([px]) => px, x)] ?? [];
        if (px === undefined || y === undefined || Math.abs(plot.x(px) - at) > NEAR_PX) return null;
        return <circle key={key} cx={at} cy={plot.y(y)} r={3} fill={stroke} />;
      })}
      {isHere && (
        <TooltipOutside at={at} within={within}>
          {tooltip(x)}
        </TooltipOutside>
      )}
    </g>
  );
}

type TooltipProps = { at: number; within: RefObject<HTMLElement | null>; children: ReactNode };

const DISTANCE_PX = 12;
/** Height of the labels of the horizontal axis. */
const AXIS_PX = 28;
/** Room for the names of changes above the drawing area. */
const NAMES_PX = 18;
/** Most tooltips are lower. */
const HEIGHT_PX = 220;

/** The tooltip below the drawing area, or above without room, so that it covers no data. It is not exported. */
function TooltipOutside({ at, within, children }: TooltipProps) {
  const plot = usePlot();
  if (plot === null || within.current === null) return null;
  const { area, bottom } = plot;
  const isLeft = at < area.x + area.width / 2;
  const side = isLeft ? { left: at + DISTANCE_PX } : { right: `calc(100% - ${at - DISTANCE_PX}px)` };
  const { top } = within.current.getBoundingClientRect();
  const hasRoom = top + bottom + AXIS_PX + HEIGHT_PX <= window.innerHeight;
  const end = hasRoom ? { top: bottom + AXIS_PX } : { bottom: `calc(100% - ${area.y - NAMES_PX}px)` };
  return createPortal(
    <div className="crosshair-tooltip" style={{ ...end, ...side }}>
      {children}
    </div>,
    within.current,
  );
}
