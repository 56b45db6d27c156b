/** A point of a line: filled with its shape, a cross where messages were lost, open where it is not to be compared. */
import { type LineStyle, markerPath } from "../lines";

/** Why a point is not to be read beside the others. */
export type Apart = "lossy" | "environment" | "oversubscribed" | null;

type Props = {
  /** Absent while the drawing area has no size yet. */
  x: number | undefined;
  y: number | undefined;
  style: LineStyle;
  radius: number;
  isFaded: boolean;
  apart: Apart;
};

export function Dot({ x, y, style, radius, isFaded, apart }: Props) {
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
