/**
 * Marks single points: an open diamond for a modified work tree, a cross if lossy, a ring if pinned. Ordinary points
 * are dots if there are few.
 */
import { crossPath, markerPath } from "../lines";
import { usePlot } from "../usePlot";

export type Mark = "plain" | "modified" | "lossy";

export type MarkedPoint = { x: number; y: number; mark: Mark };

type Props = { points: MarkedPoint[]; pinned: { x: number; y: number } | null; dots: boolean };

export function PointMarks({ points, pinned, dots }: Props) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right } = plot;
  const placed = (point: { x: number; y: number }) => {
    const [x, y] = [plot.x(point.x), plot.y(point.y)];
    return x >= area.x - 1 && x <= right + 1 ? { x, y } : null;
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
  if (mark === "plain") return <circle cx={x} cy={y} r={2.75} fill="var(--data-1)" />;
  const [d, looks] =
    mark === "lossy"
      ? [crossPath(x, y, 4), { stroke: "var(--data-4)", strokeWidth: 2, fill: "none" }]
      : [
          markerPath("diamond", x, y, 3.5),
          { stroke: "var(--data-1)", strokeWidth: 1.5, fill: "var(--ground)" },
        ];
  return <path d={d} {...looks} />;
}
