/** Lines and bands, clipped to the drawing area, one element each. */
import { useId } from "react";
import { nearestOf } from "../nearest";
import { rounded } from "../sparklines";
import { usePlot } from "../usePlot";

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
  fill?: string;
  points: readonly (readonly [x: number, low: number, high: number])[];
};

type Props = { curves: Curve[]; bands?: Band[] };

export function Curves({ curves, bands = [] }: Props) {
  const id = useId();
  const plot = usePlot();
  if (plot === null) return null;
  const { area, right, x, y } = plot;
  const at = (px: number, py: number) => `${rounded(x(px))},${rounded(y(py))}`;
  // The visible points, plus one neighbour on each side.
  const within = <P extends readonly [x: number, ...rest: number[]]>(points: readonly P[]) => {
    const place = (px: number) => nearestOf(points, ([value]) => x(value), px);
    return points.slice(Math.max(0, place(area.x) - 1), place(right) + 2);
  };
  return (
    <g clipPath={`url(#${id})`}>
      <clipPath id={id}>
        <rect {...area} />
      </clipPath>
      {bands.map(({ key, fill, points: all }) => {
        const points = within(all);
        const outline = [
          ...points.map(([px, , high]) => at(px, high)),
          ...points.toReversed().map(([px, low]) => at(px, low)),
        ];
        const looks = fill === undefined ? {} : { style: { fill } };
        return <path key={key} className="band" d={`M${outline.join("L")}Z`} {...looks} />;
      })}
      {curves.map(({ key, stroke, dash, width, isFaded, points }) => {
        const line = within(points).map(([px, py]) => at(px, py));
        if (line.length === 0) return null;
        return (
          <path
            key={key}
            className="curve"
            data-key={key}
            d={`M${line.join("L")}`}
            stroke={stroke}
            strokeWidth={width}
            strokeOpacity={isFaded === true ? 0.2 : 1}
            strokeDasharray={dash}
            strokeLinejoin="round"
            fill="none"
          />
        );
      })}
    </g>
  );
}
