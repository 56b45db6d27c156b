/**
 * Distributions over commits as ridgelines: a curve of each commit on a common time axis, the newest at the top. A click pins a
 * commit.
 */
import { useId } from "react";
import type { HeatColumn } from "./HeatMap";
import { logAxis, type Measure } from "./measure";
import { Plot } from "./Plot";
import { usePlot } from "./usePlot";

type Props = {
  label: string;
  columns: HeatColumn[];
  stepsPerDoubling: number;
  reach_ns: readonly [number, number];
  measure: Measure;
  pinned_x: number;
  onPin: (x: number) => void;
};

/** More rows are too low for a curve. */
const ROWS_MAX = 32;
const ROW_PX = 14;
/** The height of the highest curve, in rows. */
const OVERLAP = 3;
const AXIS_PX = 34;

/** The columns of the rows, newest first: if there are many, evenly spaced ones. */
export function ridgeRows(columns: HeatColumn[]): HeatColumn[] {
  const every = Math.ceil(columns.length / ROWS_MAX);
  return columns.toReversed().filter((_, index) => index % every === 0);
}

export function RidgeChart({ label, columns, stepsPerDoubling, reach_ns, measure, pinned_x, onPin }: Props) {
  const rows = ridgeRows(columns);
  return (
    <div className="chart" role="img" aria-label={label}>
      <Plot
        height_px={(rows.length + OVERLAP) * ROW_PX + AXIS_PX}
        top_px={4}
        right_px={24}
        x={logAxis(measure, [...reach_ns])}
        y={{
          domain: [rows.length - 0.5, -OVERLAP],
          ticks: rows.map((_, row) => row),
          label: (row) => `#${rows[row]?.x ?? ""}`,
        }}
        hasRules={false}
      >
        <Ridges rows={rows} steps={stepsPerDoubling} reach_ns={reach_ns} pinned_x={pinned_x} onPin={onPin} />
      </Plot>
    </div>
  );
}

type RidgesProps = {
  rows: HeatColumn[];
  steps: number;
  reach_ns: readonly [number, number];
  pinned_x: number;
  onPin: (x: number) => void;
};

function Ridges({ rows, steps, reach_ns, pinned_x, onPin }: RidgesProps) {
  const id = useId();
  const plot = usePlot();
  if (plot === null) return null;
  const { area, x, y } = plot;
  const most = rows.reduce((top, { shares }) => Math.max(top, ...shares.values()), 0) || 1;
  const height = Math.abs(y(1) - y(0)) * OVERLAP;
  const [first, last] = reach_ns.map((ns) => Math.round(Math.log2(ns) * steps)) as [number, number];
  const outlineOf = ({ shares }: HeatColumn, base: number) =>
    Array.from({ length: Math.max(1, last - first) }, (_, index) => {
      const at = x(2 ** ((first + index + 0.5) / steps)).toFixed(1);
      return `${at},${(base - ((shares.get(first + index) ?? 0) / most) * height).toFixed(1)}`;
    }).join("L");
  return (
    <g clipPath={`url(#${id})`}>
      <clipPath id={id}>
        <rect {...area} />
      </clipPath>
      {rows.map((row, index) => {
        const base = y(index);
        const outline = outlineOf(row, base);
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the trend above pins by keyboard.
          <g
            key={row.x}
            className={row.x === pinned_x ? "ridge ridge-pinned" : "ridge"}
            onClick={() => onPin(row.x)}
          >
            <title>{`#${row.x}`}</title>
            <path
              className="ridge-area"
              d={`M${area.x},${base}L${outline}L${area.x + area.width},${base}Z`}
            />
            <path className="ridge-line" d={`M${outline}`} />
          </g>
        );
      })}
    </g>
  );
}
