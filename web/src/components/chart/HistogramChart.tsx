/** One point's distribution on a logarithmic axis of time, with its percentiles marked. */
import { CartesianGrid, ComposedChart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { axisLabelsOfNs, formatCount, formatNs, formatShare } from "@/lib/units";
import { AXIS, AXIS_WIDTH, GRID, TOOLTIP } from "./axis";
import { Bars } from "./plottables/Bars";
import { type Marker, Markers } from "./plottables/Markers";
import { TooltipBox } from "./Tooltip";
import { linearScale, logScale, type Scale } from "./ticks";

/** Counted values between two bounds. */
export type Bin = { from_ns: number; to_ns: number; count: number };

type Props = { bins: Bin[]; total: number; markers: Marker[]; name: string };

const HEIGHT_PX = 256;

/** The horizontal axis of a distribution; what is drawn below the histogram shares it. */
export function distributionScale(bins: Bin[]): Scale {
  return logScale(bins.flatMap(({ from_ns, to_ns }) => [Math.max(1, from_ns), to_ns]));
}

/** Margins that a chart must have to line up with the histogram. */
export const DISTRIBUTION_MARGIN = { top: 0, right: 48, bottom: 0, left: 0 };

export function HistogramChart({ bins, total, markers, name }: Props) {
  const xScale = distributionScale(bins);
  const most = bins.reduce((largest, { count }) => Math.max(largest, count), 1);
  const yScale = linearScale([0, most], 4);
  const rows = bins.map((bin) => ({ ...bin, middle: Math.sqrt(Math.max(1, bin.from_ns) * bin.to_ns) }));
  return (
    <div className="chart" role="img" aria-label={name}>
      <ResponsiveContainer
        width="100%"
        height={HEIGHT_PX}
        initialDimension={{ width: 720, height: HEIGHT_PX }}
      >
        <ComposedChart data={rows} margin={{ ...DISTRIBUTION_MARGIN, top: 54 }} accessibilityLayer={false}>
          <CartesianGrid {...GRID} />
          <XAxis
            {...AXIS}
            type="number"
            dataKey="middle"
            scale="log"
            domain={xScale.domain}
            ticks={xScale.ticks}
            tickFormatter={(tick: number) => axisLabelsOfNs([tick])[0] ?? ""}
            height={26}
            tickMargin={6}
          />
          <YAxis
            {...AXIS}
            domain={[0, yScale.domain[1]]}
            ticks={yScale.ticks.filter(Number.isInteger)}
            tickFormatter={formatCount}
            width={AXIS_WIDTH}
          />
          <Line dataKey="count" stroke="none" dot={false} activeDot={false} isAnimationActive={false} />
          <Bars bars={bins.map(({ from_ns, to_ns, count }) => ({ from: from_ns, to: to_ns, count }))} />
          <Markers markers={markers} />
          <Tooltip
            {...TOOLTIP}
            content={({ active, payload }) => {
              const bin = payload?.[0]?.payload as Bin | undefined;
              if (active !== true || bin === undefined) return null;
              return (
                <TooltipBox
                  heading={`${formatNs(bin.from_ns)} to ${formatNs(bin.to_ns)}`}
                  rows={[
                    { name: "operations", value: formatCount(bin.count) },
                    { name: "share", value: formatShare(bin.count / total) },
                  ]}
                />
              );
            }}
          />
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}
