/**
 * The crosshair of one chart: a rule at the place that is pointed at, a dot on each line, and beside it, in the chart that
 * the pointer is over, what stands there.
 */
import type { ReactNode, RefObject } from "react";
import { createPortal } from "react-dom";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { useCrosshair } from "../crosshair";
import { nearest, nearestOf } from "../nearest";
import type { Curve } from "./Curves";

type Props = {
  name: string;
  /** Where it may stand, ascending. */
  stops: readonly number[];
  curves: readonly Curve[];
  /** The element that the tooltip is put into. */
  within: RefObject<HTMLElement | null>;
  tooltip: (x: number) => ReactNode;
};

const DISTANCE_PX = 12;

export function CrosshairMark({ name, stops, curves, within, tooltip }: Props) {
  const crosshair = useCrosshair();
  const area = usePlotArea();
  const xScale = useXAxisScale();
  const yScale = useYAxisScale();
  if (crosshair === null || area === undefined || xScale === undefined) return null;
  const x = stops[nearest(stops, crosshair.x)];
  const at = x === undefined ? undefined : xScale(x);
  if (x === undefined || at === undefined || at < area.x - 1 || at > area.x + area.width + 1) return null;
  const isLeft = at < area.x + area.width / 2;
  return (
    <g pointerEvents="none">
      <path d={`M${at},${area.y}V${area.y + area.height}`} stroke="var(--rule-strong)" />
      {yScale !== undefined &&
        curves.map(({ key, stroke, points }) => {
          const y = valueAt(points, x);
          return y === null ? null : <circle key={key} cx={at} cy={yScale(y)} r={3} fill={stroke} />;
        })}
      {crosshair.source === name &&
        within.current !== null &&
        createPortal(
          <div
            className="crosshair-tooltip"
            style={{
              top: area.y,
              ...(isLeft ? { left: at + DISTANCE_PX } : { right: `calc(100% - ${at - DISTANCE_PX}px)` }),
            }}
          >
            {tooltip(x)}
          </div>,
          within.current,
        )}
    </g>
  );
}

/** The value of a line at exactly this place; `null` where it has none there. */
function valueAt(points: Curve["points"], x: number): number | null {
  const point = points[nearestOf(points, ([px]) => px, x)];
  return point !== undefined && point[0] === x ? point[1] : null;
}
