/** The points of lines, each with its line's shape: few enough to be seen one by one. */
import { useXAxisScale, useYAxisScale } from "recharts";
import type { LineStyle } from "../lines";
import { type Apart, Dot } from "./Dot";

/** A line's points, and how they look. */
export type DottedLine = {
  key: string;
  style: LineStyle;
  radius: number;
  isFaded: boolean;
  points: readonly { x: number; y: number; apart: Apart }[];
};

export function Dots({ lines }: { lines: DottedLine[] }) {
  const xScale = useXAxisScale();
  const yScale = useYAxisScale();
  return lines.map(({ key, style, radius, isFaded, points }) => (
    <g key={key} pointerEvents="none">
      {points.map(({ x, y, apart }) => (
        <Dot
          key={x}
          x={xScale?.(x)}
          y={yScale?.(y)}
          style={style}
          radius={radius}
          isFaded={isFaded}
          apart={apart}
        />
      ))}
    </g>
  ));
}
