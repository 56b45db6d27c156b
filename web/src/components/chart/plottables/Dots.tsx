/** The points of lines, each with its line's shape: few enough to be seen one by one. */
import { useXAxisScale, useYAxisScale } from "recharts";
import { type LineStyle, markerPath } from "../lines";

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

/** Why a point is not to be read beside the others. */
type Apart = "lossy" | "environment" | "oversubscribed" | null;

type Props = {
  /** Absent while the drawing area has no size yet. */
  x: number | undefined;
  y: number | undefined;
  style: LineStyle;
  radius: number;
  isFaded: boolean;
  apart: Apart;
};

/** A point of a line: filled with its shape, a cross where messages were lost, open where it is not to be compared. */
function Dot({ x, y, style, radius, isFaded, apart }: Props) {
  if (x === undefined || y === undefined) return null;
  const opacity = isFaded ? 0.2 : 1;
  if (apart === "lossy") {
    const arm = radius + 1;
    const path = `M${x - arm},${y - arm}l${2 * arm},${2 * arm}M${x - arm},${y + arm}l${2 * arm},${-2 * arm}`;
    return <path d={path} stroke={style.stroke} strokeWidth={1.75} fill="none" opacity={opacity} />;
  }
  const isOpen = apart !== null;
  return (
    <path
      d={markerPath(style.marker, x, y, isOpen ? radius + 0.75 : radius)}
      fill={isOpen ? "var(--ground)" : style.stroke}
      stroke={isOpen ? style.stroke : "none"}
      strokeWidth={1.5}
      opacity={opacity}
    />
  );
}
