/** Histogram bars, with cumulative share on a second axis at the right. */
import { usePlot } from "../usePlot";

/** A count between two bounds, in axis units. */
export type Bar = { from: number; to: number; count: number };

/** Minimum height of non-empty bins. */
const HEIGHT_MIN_PX = 2;

export function middleOf({ from, to }: Pick<Bar, "from" | "to">): number {
  return Math.sqrt(Math.max(1, from) * to);
}

export function Bars({ bars }: { bars: Bar[] }) {
  const plot = usePlot();
  if (plot === null) return null;
  const { x, y, bottom } = plot;
  return (
    <g fill="var(--data-1)" fillOpacity={0.75}>
      {bars.map(({ from, to, count }) => {
        if (count === 0) return null;
        const left = x(Math.max(1, from));
        const height = Math.max(HEIGHT_MIN_PX, bottom - y(count));
        const width = Math.max(1, x(to) - left - 1);
        return <rect key={from} x={left} y={bottom - height} width={width} height={height} />;
      })}
    </g>
  );
}

const SHARES = [0, 0.25, 0.5, 0.75, 1];
const LABEL_DISTANCE_PX = 8;

/** Interpolated between bars; exact at bar ends. */
export function Cumulative({ bars }: { bars: { from: number; to: number; cumulative: number }[] }) {
  const plot = usePlot();
  const [first] = bars;
  if (plot === null || first === undefined) return null;
  const { area, right, x } = plot;
  const y = (share: number) => area.y + area.height * (1 - share);
  const path = bars.map(({ to, cumulative }) => `L${x(to)},${y(cumulative)}`).join("");
  return (
    <g pointerEvents="none">
      <path
        className="cumulative-line"
        d={`M${x(Math.max(1, first.from))},${y(0)}${path}`}
        fill="none"
        stroke="var(--ink)"
        strokeWidth={1.5}
      />
      {SHARES.map((share) => (
        <text key={share} x={right + LABEL_DISTANCE_PX} y={y(share)} dominantBaseline="central">
          {share * 100} %
        </text>
      ))}
    </g>
  );
}
