/** Lines and bands, clipped to the drawing area, one element each. */
import { memo, useId } from "react";
import { nearestOf } from "../nearest";
import { rounded } from "../sparklines";
import { type PlotPlaces, usePlot } from "../usePlot";

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
  return (
    <g clipPath={`url(#${id})`}>
      <clipPath id={id}>
        <rect {...plot.area} />
      </clipPath>
      {bands.map((band) => (
        <BandPath key={band.key} band={band} plot={plot} />
      ))}
      {curves.map((curve) => (
        <CurvePath key={curve.key} curve={curve} plot={plot} />
      ))}
    </g>
  );
}

// With thousands of points, these are drawn again only when they change.
const BandPath = memo(({ band: { points: all, fill }, plot }: { band: Band; plot: PlotPlaces }) => {
  const points = within(all, plot);
  const outline = [
    ...points.map(([x, , high]) => at(plot, x, high)),
    ...points.toReversed().map(([x, low]) => at(plot, x, low)),
  ];
  const looks = fill === undefined ? {} : { style: { fill } };
  return <path className="band" d={`M${outline.join("L")}Z`} {...looks} />;
});

const CurvePath = memo(({ curve, plot }: { curve: Curve; plot: PlotPlaces }) => {
  const { key, stroke, dash, width, isFaded, points } = curve;
  const line = within(points, plot).map(([x, y]) => at(plot, x, y));
  if (line.length === 0) return null;
  return (
    <path
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
});

const at = (plot: PlotPlaces, x: number, y: number) => `${rounded(plot.x(x))},${rounded(plot.y(y))}`;

/** The visible points, plus one neighbour on each side. */
function within<P extends readonly [x: number, ...rest: number[]]>(
  points: readonly P[],
  { area, right, x }: PlotPlaces,
): readonly P[] {
  const place = (px: number) => nearestOf(points, ([value]) => x(value), px);
  return points.slice(Math.max(0, place(area.x) - 1), place(right) + 2);
}
