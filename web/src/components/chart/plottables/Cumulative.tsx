/** The share of all that is not larger, from bar to bar: at each bar's end it is exact. */
import { useXAxisScale, useYAxisScale } from "recharts";

type Props = {
  /** The vertical axis of shares. */
  axis: string;
  bars: { from: number; to: number; cumulative: number }[];
};

export function Cumulative({ axis, bars }: Props) {
  const x = useXAxisScale();
  const y = useYAxisScale(axis);
  const [first] = bars;
  if (x === undefined || y === undefined || first === undefined) return null;
  const start = `M${x(Math.max(1, first.from)) ?? 0},${y(0) ?? 0}`;
  const path = bars.map(({ to, cumulative }) => `L${x(to) ?? 0},${y(cumulative) ?? 0}`).join("");
  return (
    <path className="cumulative-line" d={start + path} fill="none" stroke="var(--ink)" strokeWidth={1.5} />
  );
}
