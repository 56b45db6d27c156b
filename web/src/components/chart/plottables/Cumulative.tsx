/**
 * The share of all that is not larger, from bar to bar: at each bar's end it is exact. From the bottom of the drawing area to
 * its top, with an axis of its own at the right.
 */
import { usePlotArea, useXAxisScale } from "recharts";

type Props = { bars: { from: number; to: number; cumulative: number }[] };

const TICKS = [0, 0.25, 0.5, 0.75, 1];
const LABEL_DISTANCE_PX = 8;

export function Cumulative({ bars }: Props) {
  const area = usePlotArea();
  const x = useXAxisScale();
  const [first] = bars;
  if (area === undefined || x === undefined || first === undefined) return null;
  const y = (share: number) => area.y + area.height * (1 - share);
  const start = `M${x(Math.max(1, first.from)) ?? 0},${y(0)}`;
  const path = bars.map(({ to, cumulative }) => `L${x(to) ?? 0},${y(cumulative)}`).join("");
  return (
    <g pointerEvents="none">
      <path className="cumulative-line" d={start + path} fill="none" stroke="var(--ink)" strokeWidth={1.5} />
      {TICKS.map((share) => (
        <text key={share} x={area.x + area.width + LABEL_DISTANCE_PX} y={y(share)} dominantBaseline="central">
          {share * 100} %
        </text>
      ))}
    </g>
  );
}
