/** Box plots for a few points: quartiles as a box, and a tick for each line. Used for one or two commits. */
import { usePlot } from "../usePlot";

/** A point: quartiles, and the value of each line. */
export type BoxRow = {
  x: number;
  band: readonly [number, number] | null;
  ticks: { key: string; value: number; stroke: string; dash: string }[];
};

const HALF_PX = 24;

export function Boxes({ rows }: { rows: BoxRow[] }) {
  const plot = usePlot();
  if (plot === null) return null;
  const { x, y } = plot;
  return rows.map(({ x: at, band, ticks }) => {
    const left = x(at) - HALF_PX;
    const values = ticks.map(({ value }) => value);
    return (
      <g key={at} strokeWidth={1.5}>
        <path
          d={`M${x(at)},${y(Math.min(...values))}V${y(Math.max(...values))}`}
          stroke="var(--rule-strong)"
          strokeWidth={1}
        />
        {band !== null && (
          <rect
            x={left}
            y={y(band[1])}
            width={2 * HALF_PX}
            height={Math.max(1, y(band[0]) - y(band[1]))}
            fill="var(--band)"
          />
        )}
        {ticks.map(({ key, value, stroke, dash }) => (
          <path key={key} d={`M${left},${y(value)}h${2 * HALF_PX}`} stroke={stroke} strokeDasharray={dash} />
        ))}
      </g>
    );
  });
}
