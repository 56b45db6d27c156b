/** Estimates with their intervals, and the line of no change. */
import { usePlot } from "../usePlot";

type Props = { intervals: { x: number; y: number; interval: readonly [number, number] | null }[] };

const CAP_PX = 4;

export function Intervals({ intervals }: Props) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, x, y } = plot;
  return (
    <g pointerEvents="none" stroke="var(--ink)" strokeWidth={1.25}>
      <path d={`M${area.x},${y(0)}h${area.width}`} stroke="var(--muted)" strokeDasharray="3 3" />
      {intervals.map(({ x: at, y: estimate, interval }) => (
        <g key={at}>
          {interval !== null && (
            <path
              d={`M${x(at)},${y(interval[0])}V${y(interval[1])}M${x(at) - CAP_PX},${y(interval[0])}h${2 * CAP_PX}M${x(at) - CAP_PX},${y(interval[1])}h${2 * CAP_PX}`}
              fill="none"
            />
          )}
          <circle cx={x(at)} cy={y(estimate)} r={3} fill="var(--ink)" stroke="none" />
        </g>
      ))}
    </g>
  );
}
