/**
 * The crosshair of one chart: a rule at the place that is pointed at, a dot on each line that has a point there, and beside
 * it, in the chart that the pointer is over, what stands there.
 */
import type { ReactNode, RefObject } from "react";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { useCrosshair } from "../crosshair";
import { nearest, nearestOf } from "../nearest";
import type { Curve } from "./Curves";
import { TooltipBeside } from "./TooltipBeside";

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
