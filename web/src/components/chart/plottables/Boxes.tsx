/**
 * Draws each of a few points as a box with whiskers: the middle half as a box, then a stem with a tick for each
 * line's value. With one or two commits there is no line to look at, but there is a distribution.
 */
import { useXAxisScale, useYAxisScale } from "recharts";

/** A point: its middle half, and the value of each line. */
export type BoxRow = {
  x: number;
  band: readonly [number, number] | null;
  ticks: { key: string; value: number; stroke: string; dash: string }[];
};

const HALF_BOX_PX = 24;
const HALF_TICK_PX = 24;

export function Boxes({ rows }: { rows: BoxRow[] }) {
  const x = useXAxisScale();
  const y = useYAxisScale();
  if (x === undefined || y === undefined) return null;
  return (
    <g>
      {rows.map((row) => {
        const centre = x(row.x) ?? 0;
        const values = row.ticks.map(({ value }) => value);
        const [bottom, top] = [y(Math.min(...values)) ?? 0, y(Math.max(...values)) ?? 0];
        const box = row.band?.map((value) => y(value) ?? 0);
        return (
          <g key={row.x} strokeWidth={1.5}>
            <path d={`M${centre},${bottom}V${top}`} stroke="var(--rule-strong)" strokeWidth={1} />
            {box?.[0] !== undefined && box[1] !== undefined && (
              <rect
                x={centre - HALF_BOX_PX}
                y={box[1]}
                width={2 * HALF_BOX_PX}
                height={Math.max(1, box[0] - box[1])}
                fill="var(--band)"
              />
            )}
            {row.ticks.map(({ key, value, stroke, dash }) => (
              <path
                key={key}
                d={`M${centre - HALF_TICK_PX},${y(value) ?? 0}h${2 * HALF_TICK_PX}`}
                stroke={stroke}
                strokeDasharray={dash}
              />
            ))}
          </g>
        );
      })}
    </g>
  );
}
