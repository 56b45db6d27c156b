/** A histogram's bars between given bounds. A bin that holds anything is seen: the tail is what matters. */
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";

/** Counted values between two bounds, in the unit of the axis. */
export type Bar = { from: number; to: number; count: number };

const HEIGHT_MIN_PX = 2;

/** The middle of a bar on a logarithmic axis. */
export function middleOf({ from, to }: Pick<Bar, "from" | "to">): number {
  return Math.sqrt(Math.max(1, from) * to);
}

export function Bars({ bars }: { bars: Bar[] }) {
  const area = usePlotArea();
  const x = useXAxisScale();
  const y = useYAxisScale();
  if (area === undefined || x === undefined || y === undefined) return null;
  const base = area.y + area.height;
  return (
    <g fill="var(--data-1)">
      {bars.map(({ from, to, count }) => {
        if (count === 0) return null;
        const [left, right] = [x(Math.max(1, from)) ?? 0, x(to) ?? 0];
        const height = Math.max(HEIGHT_MIN_PX, base - (y(count) ?? base));
        return (
          <rect
            key={from}
            x={left}
            y={base - height}
            width={Math.max(1, right - left - 1)}
            height={height}
            fillOpacity={0.75}
          />
        );
      })}
    </g>
  );
}
