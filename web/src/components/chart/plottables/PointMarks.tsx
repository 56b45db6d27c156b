/**
 * Marks single points of a trend: what was measured with a modified work tree is an open diamond, what lost
 * messages a cross, and the pinned point has a ring. Ordinary points are dots, as long as there are few.
 */
import { useXAxisScale, useYAxisScale } from "recharts";
import { markerPath } from "../lines";

/** How a point is marked. */
export type Mark = "plain" | "modified" | "lossy";

/** A point that may be marked. */
export type MarkedPoint = { id: string; x: number; y: number; mark: Mark };

type Props = { points: MarkedPoint[]; pinned: string; dots: boolean };

export function PointMarks({ points, pinned, dots }: Props) {
  const x = useXAxisScale();
  const y = useYAxisScale();
  if (x === undefined || y === undefined) return null;
  return (
    <g>
      {points.map((point) => {
        const isPinned = point.id === pinned;
        if (point.mark === "plain" && !dots && !isPinned) return null;
        const at = { x: x(point.x) ?? 0, y: y(point.y) ?? 0 };
        return (
          <g key={point.id}>
            {isPinned && (
              <circle cx={at.x} cy={at.y} r={7} fill="none" stroke="var(--ink)" strokeWidth={1.5} />
            )}
            <Shape mark={point.mark} {...at} />
          </g>
        );
      })}
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
