/**
 * Latency by percentile. The axis is logarithmic in the remaining share, one decade at a time, as in HdrHistogram
 * plots.
 */
import type { ReactNode } from "react";
import { CrosshairScope } from "./crosshair";
import { logAxis, type Measure } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { type Curve, Curves } from "./plottables/Curves";
import { EndLabels } from "./plottables/EndLabels";

type Props = {
  name: string;
  label: string;
  /** x = 1 / (1 - percentile): 100 for the 99th percentile. */
  curves: Curve[];
  measure: Measure;
  tooltip: (x: number) => ReactNode;
};

export function PercentileChart({ curves, measure, ...rest }: Props) {
  const last = Math.max(10, ...curves.flatMap(({ points }) => points.at(-1)?.[0] ?? []));
  const ticks = [1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].filter((tick) => tick <= last);
  const values = curves.flatMap(({ points }) => points.map(([, y]) => y));
  return (
    <CrosshairScope>
      <PointedPlot
        {...rest}
        stops={curves[0]?.points.map(([x]) => x) ?? []}
        curves={curves}
        height_px={256}
        top_px={12}
        right_px={56}
        x={{ domain: [1, last], ticks, label: percentileOf, isLogarithmic: true }}
        y={logAxis(measure, values)}
      >
        <Curves curves={curves} />
        <EndLabels
          labels={curves.map(({ label, ink, points }) => ({ label, ink, value: points.at(-1)?.[1] ?? 1 }))}
        />
      </PointedPlot>
    </CrosshairScope>
  );
}

/** The name of a position on the axis: `p99.9`. */
export function percentileOf(x: number): string {
  return x === 1 ? "0" : `p${Number((100 * (1 - 1 / x)).toPrecision(9))}`;
}
