/**
 * The time that a share of all operations does not exceed, for each share: the axis stretches towards 100 %, a decade of
 * the rest at a time, so that the rarest operations have as much room as the usual ones. As HdrHistogram's plots are.
 */
import { type ReactNode, useRef } from "react";
import { CrosshairScope } from "./crosshair";
import { LATENCY } from "./measure";
import { Plot } from "./Plot";
import { CrosshairMark } from "./plottables/CrosshairMark";
import { type Curve, Curves } from "./plottables/Curves";
import { EndLabels } from "./plottables/EndLabels";
import { Gestures } from "./plottables/Gestures";

type Props = {
  name: string;
  label: string;
  /** Their x is one over the share that takes longer: 100 for the 99th percentile. */
  curves: Curve[];
  tooltip: (x: number) => ReactNode;
};

const HEIGHT_PX = 256;
const RIGHT_PX = 56;

export function PercentileChart(props: Props) {
  return (
    <CrosshairScope>
      <Chart {...props} />
    </CrosshairScope>
  );
}

function Chart({ name, label, curves, tooltip }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const rest = curves.flatMap(({ points }) => points.at(-1)?.[0] ?? []);
  const last = Math.max(10, ...rest);
  const yScale = LATENCY.logarithmic(curves.flatMap(({ points }) => points.map(([, y]) => y)));
  const ticks = [1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].filter((tick) => tick <= last);
  const stops = curves[0]?.points.map(([x]) => x) ?? [];
  return (
    <div ref={container} className="chart" role="img" aria-label={label}>
      <Plot
        height_px={HEIGHT_PX}
        top_px={12}
        right_px={RIGHT_PX}
        x={{ domain: [1, last], ticks, label: percentileOf, isLogarithmic: true }}
        y={{ ...yScale, label: (tick) => LATENCY.axisLabels([tick])[0] ?? "", isLogarithmic: true }}
      >
        <Curves curves={curves} />
        <EndLabels
          labels={curves.map(({ label, ink, points }) => ({ label, ink, value: points.at(-1)?.[1] ?? 1 }))}
        />
        <CrosshairMark name={name} stops={stops} curves={curves} within={container} tooltip={tooltip} />
        <Gestures name={name} stops={stops} />
      </Plot>
    </div>
  );
}

/** A place on the axis as people name it: `p99.9`. */
export function percentileOf(x: number): string {
  return x === 1 ? "0" : `p${Number((100 * (1 - 1 / x)).toPrecision(9))}`;
}
