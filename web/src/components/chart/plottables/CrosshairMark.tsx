/** The crosshair of one chart: a vertical line, dots on lines, and a tooltip in the chart under the pointer. */
import type { ReactNode, RefObject } from "react";
import { createPortal } from "react-dom";
import { type Corner, freeCorner, TOOLTIP_PX } from "../corner";
import { useCrosshair } from "../crosshair";
import { nearest, nearestOf, type Position } from "../nearest";
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
        <TooltipNear
          at={at}
          corner={freeCorner(
            at,
            area,
            curves.map(({ points }) => placedNear(points, at, plot)),
          )}
          within={within}
        >
          {tooltip(x)}
        </TooltipNear>
      )}
    </g>
  );
}

/** More points of a line would not change the position of a tooltip. */
const POINTS_MAX = 200;

/** The points of a line next to the crosshair, in pixels. */
function placedNear(points: Curve["points"], at: number, { x, y }: { x: Scale; y: Scale }): Position[] {
  const place = (px: number) => nearestOf(points, ([value]) => x(value), px);
  const near = points.slice(place(at - TOOLTIP_PX.width), place(at + TOOLTIP_PX.width) + 1);
  const every = Math.ceil(near.length / POINTS_MAX);
  return near.filter((_, index) => index % every === 0).map(([px, py]) => [x(px), y(py)] as const);
}

type Scale = (value: number) => number;

type TooltipProps = {
  at: number;
  corner: Corner;
  within: RefObject<HTMLElement | null>;
  children: ReactNode;
};

const DISTANCE_PX = 12;

/** The tooltip in one corner of the crosshair. It is not exported. */
function TooltipNear({ at, corner, within, children }: TooltipProps) {
  const plot = usePlot();
  if (plot === null || within.current === null) return null;
  const { area, bottom } = plot;
  const side = corner.isRight ? { left: at + DISTANCE_PX } : { right: `calc(100% - ${at - DISTANCE_PX}px)` };
  const end = corner.isTop ? { top: area.y } : { bottom: `calc(100% - ${bottom}px)` };
  return createPortal(
    <div className="crosshair-tooltip" style={{ ...end, ...side }}>
      {children}
    </div>,
    within.current,
  );
}
