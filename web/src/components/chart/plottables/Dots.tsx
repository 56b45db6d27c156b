/** Points of lines, with the shape of their line. */
import { crossPath, type LineStyle, markerPath } from "../lines";
import { usePlot } from "../usePlot";

type DottedLine = {
  key: string;
  style: LineStyle;
  radius: number;
  isFaded: boolean;
  points: readonly { x: number; y: number; apart: Apart }[];
};

type Apart = "lossy" | "environment" | "oversubscribed" | null;

export function Dots({ lines }: { lines: DottedLine[] }) {
  const plot = usePlot();
  if (plot === null) return null;
  return lines.map(({ key, style, radius, isFaded, points }) => (
    <g key={key} pointerEvents="none" opacity={isFaded ? 0.2 : 1}>
      {points.map(({ x, y, apart }) => (
        <Dot key={x} x={plot.x(x)} y={plot.y(y)} style={style} radius={radius} apart={apart} />
      ))}
    </g>
  ));
}

type Props = { x: number; y: number; style: LineStyle; radius: number; apart: Apart };

/** A point: filled, a cross if lossy, open if not comparable. */
function Dot({ x, y, style: { stroke, marker }, radius, apart }: Props) {
  if (apart === "lossy") {
    return <path d={crossPath(x, y, radius + 1)} stroke={stroke} strokeWidth={1.75} fill="none" />;
  }
  return apart === null ? (
    <path d={markerPath(marker, x, y, radius)} fill={stroke} />
  ) : (
    <path
      d={markerPath(marker, x, y, radius + 0.75)}
      fill="var(--ground)"
      stroke={stroke}
      strokeWidth={1.5}
    />
  );
}
