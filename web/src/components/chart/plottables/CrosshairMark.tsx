/**
 * The crosshair of one chart: a rule at the place that is pointed at, a dot on each line that has a point there, and next
 * to it, in the chart that the pointer is over, what stands there.
 */
import type { ReactNode, RefObject } from "react";
import { createPortal } from "react-dom";
import { useCrosshair } from "../crosshair";
import { nearest, nearestOf } from "../nearest";
import { usePlot } from "../usePlot";
import type { Curve } from "./Curves";

type Props = {
  name: string;
  /** Where it may stand while the pointer is over this chart, ascending. */
  stops: readonly number[];
  curves: readonly Curve[];
  within: RefObject<HTMLElement | null>;
  tooltip: (x: number) => ReactNode;
};

/** A line's point so near to the rule is where it stands: charts that share a crosshair need not have the same places. */
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
        <TooltipNear at={at} top={area.y} within={within}>
          {tooltip(x)}
        </TooltipNear>
      )}
    </g>
  );
}

type TooltipProps = { at: number; top: number; within: RefObject<HTMLElement | null>; children: ReactNode };

const DISTANCE_PX = 12;

/** What stands at a place of the drawing area, on the side that has more room: put over the chart, not into its picture. */
export function TooltipNear({ at, top, within, children }: TooltipProps) {
  const plot = usePlot();
  if (plot === null || within.current === null) return null;
  const isLeft = at < plot.area.x + plot.area.width / 2;
  const side = isLeft ? { left: at + DISTANCE_PX } : { right: `calc(100% - ${at - DISTANCE_PX}px)` };
  return createPortal(
    <div className="crosshair-tooltip" style={{ top, ...side }}>
      {children}
    </div>,
    within.current,
  );
}
