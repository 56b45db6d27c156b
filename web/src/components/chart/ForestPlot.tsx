/**
 * A forest plot as a table column: an axis in the header, and in each row an estimate with its interval, over the band
 * of changes too small to count. The values are also in other cells.
 */
import { type Estimate, type ForestScale, forestPosition } from "./forest";

/** The marker of an estimate: triangle up, down, both, or hollow. */
export type ForestMark = "slower" | "faster" | "elsewhere" | "inconclusive" | "unchanged";

type AxisProps = {
  name: string;
  scale: ForestScale;
  label: (change: number) => string;
};

export function ForestAxis({ name, scale, label }: AxisProps) {
  return (
    <svg className="forest-axis" role="img" aria-label={name}>
      {scale.ticks.map((tick) => (
        <text key={tick} x={`${forestPosition(tick, scale).percent}%`} y="13" textAnchor="middle">
          {label(tick)}
        </text>
      ))}
    </svg>
  );
}

type Props = { estimate: Estimate; mark: ForestMark; scale: ForestScale };

export function ForestRow({ estimate: { change, interval, least }, mark, scale }: Props) {
  const at = (value: number) => forestPosition(value, scale);
  const point = at(change);
  const [low, high] = [at(interval?.[0] ?? change), at(interval?.[1] ?? change)];
  const band = least === null ? null : [at(-least).percent, at(least).percent];
  return (
    <svg className={`forest-row forest-${mark}`} aria-hidden="true">
      {band !== null && (
        <rect
          className="forest-band"
          x={`${band[0]}%`}
          width={`${(band[1] ?? 0) - (band[0] ?? 0)}%`}
          y="0"
          height="100%"
        />
      )}
      <line className="forest-zero" x1="50%" x2="50%" y1="0" y2="100%" />
      <line className="forest-interval" x1={`${low.percent}%`} x2={`${high.percent}%`} y1="50%" y2="50%" />
      {low.isBeyond && <Shape percent={low.percent} d="M-5,0l6,-4v8z" />}
      {high.isBeyond && <Shape percent={high.percent} d="M5,0l-6,-4v8z" />}
      {!point.isBeyond && <Shape percent={point.percent} d={MARKS[mark]} />}
    </svg>
  );
}

const MARKS: Record<ForestMark, string> = {
  slower: "M0,-5.5l5.5,9.5h-11z",
  faster: "M0,5.5l5.5,-9.5h-11z",
  elsewhere: "M0,-5l5,5l-5,5l-5,-5z",
  inconclusive: "M-3.5,0a3.5,3.5 0 1 0 7,0a3.5,3.5 0 1 0 -7,0z",
  unchanged: "M-2.5,0a2.5,2.5 0 1 0 5,0a2.5,2.5 0 1 0 -5,0z",
};

/** A shape in the middle of the row; nested in an svg because paths have no percent coordinates. */
function Shape({ percent, d }: { percent: number; d: string }) {
  return (
    <svg x={`${percent}%`} y="50%" width="1" height="1" overflow="visible" aria-hidden="true">
      <path className="forest-shape" d={d} />
    </svg>
  );
}
