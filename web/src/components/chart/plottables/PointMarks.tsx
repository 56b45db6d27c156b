/**
 * Marks single points: what was measured with a modified work tree is an open diamond, what lost messages a cross, and the
 * pinned point has a ring. Ordinary points are dots, as long as there are few.
 */
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { markerPath } from "../lines";

/** How a point is marked. */
export type Mark = "plain" | "modified" | "lossy";

/** A point that may be marked. */
export type MarkedPoint = { x: number; y: number; mark: Mark };

type Props = { points: MarkedPoint[]; pinned: { x: number; y: number } | null; dots: boolean };

export function PointMarks({ points, pinned, dots }: Props) {
  const area = usePlotArea();
  const xScale = useXAxisScale();
  const yScale = useYAxisScale();
  if (area === undefined || xScale === undefined || yScale === undefined) return null;
  const placed = (point: { x: number; y: number }) => {
    const [x, y] = [xScale(point.x) ?? -1, yScale(point.y) ?? -1];
    return x >= area.x - 1 && x <= area.x + area.width + 1 ? { x, y } : null;
  };
  const ring = pinned === null ? null : placed(pinned);
  return (
    <g pointerEvents="none">
      {points.map((point) => {
        const at = point.mark === "plain" && !dots ? null : placed(point);
        return at === null ? null : <Shape key={point.x} mark={point.mark} {...at} />;
      })}
      {ring !== null && (
        <circle cx={ring.x} cy={ring.y} r={7} fill="none" stroke="var(--ink)" strokeWidth={1.5} />
      )}
    </g>
  );
}

function Shape({ mark, x, y }: { mark: Mark; x: number; y: number }) {
  switch (mark) {
    case "plain":
      return <circle cx={x} cy={y} r={2.75} fill="var(--data-1)" />;
    case "modified":
      return (
        <path
          d={markerPath("diamond", x, y, 3.5)}
          fill="var(--ground)"
          stroke="var(--data-1)"
          strokeWidth={1.5}
        />
      );
    case "lossy":
      return (
        <path
          d={`M${x - 4},${y - 4}l8,8M${x - 4},${y + 4}l8,-8`}
          stroke="var(--data-4)"
          strokeWidth={2}
          fill="none"
        />
      );
  }
}
