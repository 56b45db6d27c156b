/**
 * The crosshair of one chart: a rule at the place that is pointed at, a dot on each line that has a point there, and beside
 * it, in the chart that the pointer is over, what stands there.
 */
import type { ReactNode, RefObject } from "react";
import { createPortal } from "react-dom";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { useCrosshair } from "../crosshair";
import { nearest, nearestOf } from "../nearest";
import type { Curve } from "./Curves";

type Props = {
  name: string;
  /** Where it may stand while the pointer is over this chart, ascending. */
  stops: readonly number[];
  curves: readonly Curve[];
  /** The element that the tooltip is put into. */
  within: RefObject<HTMLElement | null>;
  tooltip: (x: number) => ReactNode;
};

/** A line's point so near to the rule is where it stands: charts that share a crosshair need not have the same places. */
const BESIDE_PX = 2;

export function CrosshairMark({ name, stops, curves, within, tooltip }: Props) {
  const crosshair = useCrosshair();
  const area = usePlotArea();
  const xScale = useXAxisScale();
  const yScale = useYAxisScale();
  if (crosshair === null || area === undefined || xScale === undefined) return null;
  const isHere = crosshair.source === name;
  const x = isHere ? stops[nearest(stops, crosshair.x)] : crosshair.x;
  const at = x === undefined ? undefined : xScale(x);
  if (x === undefined || at === undefined || at < area.x - 1 || at > area.x + area.width + 1) return null;
  return (
    <g pointerEvents="none">
      <path d={`M${at},${area.y}V${area.y + area.height}`} stroke="var(--rule-strong)" />
      {yScale !== undefined &&
        curves.map(({ key, stroke, points }) => {
          const [px, y] = points[nearestOf(points, ([px]) => px, x)] ?? [];
          if (px === undefined || y === undefined) return null;
          if (Math.abs((xScale(px) ?? 0) - at) > BESIDE_PX) return null;
          return <circle key={key} cx={at} cy={yScale(y)} r={3} fill={stroke} />;
        })}
      {isHere && (
        <TooltipBeside at={at} top={area.y} within={within}>
          {tooltip(x)}
        </TooltipBeside>
      )}
    </g>
  );
}

type TooltipBesideProps = {
  /** In the picture's own coordinates. */
  at: number;
  top: number;
  /** The element that it is put into. */
  within: RefObject<HTMLElement | null>;
  children: ReactNode;
};

const DISTANCE_PX = 12;

/** What stands beside a place of the drawing area, on the side that has more room: put over the chart, not into its picture. */
export function TooltipBeside({ at, top, within, children }: TooltipBesideProps) {
  const area = usePlotArea();
  if (area === undefined || within.current === null) return null;
  const isLeft = at < area.x + area.width / 2;
  const beside = isLeft ? { left: at + DISTANCE_PX } : { right: `calc(100% - ${at - DISTANCE_PX}px)` };
  return createPortal(
    <div className="crosshair-tooltip" style={{ top, ...beside }}>
      {children}
    </div>,
    within.current,
  );
}
