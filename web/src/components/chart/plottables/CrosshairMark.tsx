/** The crosshair of one chart: a vertical line, dots on lines, and a tooltip in the chart under the pointer. */
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
        <TooltipNear at={at} top={area.y} within={within}>
          {tooltip(x)}
        </TooltipNear>
      )}
    </g>
  );
}

type TooltipProps = { at: number; top: number; within: RefObject<HTMLElement | null>; children: ReactNode };

const DISTANCE_PX = 12;

/** The tooltip, on the side with more room. It is not exported. */
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
