/** Lines and the bands behind them, cut where the drawing area ends: one element each, however many points they have. */
import { useId } from "react";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { nearestOf } from "../nearest";
import { rounded } from "../sparklines";

/** A line through its points, ascending by x. */
export type Curve = {
  key: string;
  label: string;
  stroke: string;
  ink: string;
  dash: string;
  width: number;
  isFaded?: boolean;
  points: readonly (readonly [x: number, y: number])[];
};

/** An area between two values at each x, ascending. */
export type Band = {
  key: string;
  points: readonly (readonly [x: number, low: number, high: number])[];
};

type Props = { curves: Curve[]; bands?: Band[] };

export function Curves({ curves, bands = [] }: Props) {
  const id = useId();
  const area = usePlotArea();
  const x = useXAxisScale();
  const y = useYAxisScale();
  if (area === undefined || x === undefined || y === undefined) return null;
  const at = (px: number, py: number) => `${rounded(x(px) ?? 0)},${rounded(y(py) ?? 0)}`;
  const left = (px: number) => x(px) ?? 0;
  const within = <P extends readonly [x: number, ...rest: number[]]>(points: readonly P[]) =>
    seen(points, left, area.x, area.x + area.width);
  return (
    <g clipPath={`url(#${id})`}>
      <clipPath id={id}>
        <rect {...area} />
      </clipPath>
      {bands.map(({ key, points: all }) => {
        const points = within(all);
        return (
          <path
            key={key}
            className="band"
            d={`M${[
              ...points.map(([px, , high]) => at(px, high)),
              ...points.toReversed().map(([px, low]) => at(px, low)),
            ].join("L")}Z`}
          />
        );
      })}
      {curves.map(({ key, stroke, dash, width, isFaded, points }) => (
        <path
          key={key}
          className="curve"
          data-key={key}
          d={`M${within(points)
            .map(([px, py]) => at(px, py))
            .join("L")}`}
          stroke={stroke}
          strokeWidth={width}
          strokeOpacity={isFaded === true ? 0.2 : 1}
          strokeDasharray={dash}
          strokeLinejoin="round"
          fill="none"
        />
      ))}
    </g>
  );
}

/** Of points that ascend, those between two positions, with a neighbour at either side that lines go to. */
function seen<P extends readonly [x: number, ...rest: number[]]>(
  points: readonly P[],
  positionOf: (x: number) => number,
  from: number,
  to: number,
): readonly P[] {
  const place = (px: number) => nearestOf(points, ([x]) => positionOf(x), px);
  return points.slice(Math.max(0, place(from) - 1), place(to) + 2);
}
