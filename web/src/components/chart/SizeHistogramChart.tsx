/** How many messages have which size, as bars, and the share of all that are not larger, as a line, over a byte axis. */
import {
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { formatBytes, formatCount, formatShare } from "@/lib/units";
import { AXIS, AXIS_WIDTH, GRID, TOOLTIP } from "./axis";
import { type Bar, Bars } from "./plottables/Bars";
import { Cumulative } from "./plottables/Cumulative";
import { TooltipBox } from "./Tooltip";
import { byteScale, linearScale } from "./ticks";

/** Messages of a range of sizes, and the share of all that are in it or in one before. */
export type SizeBar = Bar & { cumulative: number };

type Props = {
  name: string;
  bars: SizeBar[];
  total: number;
  /** What the byte axis has to cover. */
  sizes: number[];
  /** Room at the right, as in the chart below that shares the axis. */
  right_px: number;
  cursor: number | null;
  onCursor: (message_bytes: number | null) => void;
  /** What else is to be said of a size. */
  note: (message_bytes: number) => string;
};

const HEIGHT_PX = 240;
const SHARES = [0, 0.25, 0.5, 0.75, 1];

export function SizeHistogramChart({ name, bars, total, sizes, right_px, cursor, onCursor, note }: Props) {
  const xScale = byteScale(sizes);
  const most = bars.reduce((largest, { count }) => Math.max(largest, count), 1);
  const yScale = linearScale([0, most], 4);
  const rows = bars.map((bar) => ({ ...bar, middle: Math.sqrt(Math.max(1, bar.from) * bar.to) }));
  return (
    <div className="chart" role="img" aria-label={name}>
      <ResponsiveContainer
        width="100%"
        height={HEIGHT_PX}
        initialDimension={{ width: 720, height: HEIGHT_PX }}
      >
        <ComposedChart
          data={rows}
          margin={{ top: 10, right: 0, bottom: 0, left: 0 }}
          accessibilityLayer={false}
          onMouseMove={({ activeLabel }) => onCursor(activeLabel === undefined ? null : Number(activeLabel))}
          onMouseLeave={() => onCursor(null)}
        >
          <CartesianGrid {...GRID} />
          <XAxis
            {...AXIS}
            type="number"
            dataKey="middle"
            scale="log"
            domain={xScale.domain}
            ticks={xScale.ticks}
            tickFormatter={formatBytes}
            padding={{ left: 8, right: 8 }}
            height={28}
            tickMargin={8}
          />
          <YAxis
            {...AXIS}
            domain={[0, yScale.domain[1]]}
            ticks={yScale.ticks}
            tickFormatter={formatCount}
            width={AXIS_WIDTH}
          />
          <YAxis
            {...AXIS}
            yAxisId="share"
            orientation="right"
            domain={[0, 1]}
            ticks={SHARES}
            tickFormatter={(share: number) => `${share * 100} %`}
            width={right_px}
          />
          {cursor !== null && <ReferenceLine x={cursor} stroke="var(--rule-strong)" />}
          <Line dataKey="count" stroke="none" dot={false} activeDot={false} isAnimationActive={false} />
          <Bars bars={bars} />
          {/* Without a line of its own an axis is not there. */}
          <Line
            yAxisId="share"
            dataKey="cumulative"
            stroke="none"
            dot={false}
            activeDot={false}
            isAnimationActive={false}
          />
          <Cumulative axis="share" bars={bars} />
          <Tooltip
            {...TOOLTIP}
            content={({ active, payload }) => {
              const bar = payload?.[0]?.payload as (SizeBar & { middle: number }) | undefined;
              if (active !== true || bar === undefined) return null;
              return (
                <TooltipBox
                  heading={`${formatCount(bar.from)} to ${formatCount(bar.to - 1)} B`}
                  rows={[
                    { name: "messages", value: formatCount(bar.count) },
                    { name: "share", value: formatShare(bar.count / total) },
                    { name: "not larger", value: formatShare(bar.cumulative) },
                  ]}
                  note={note(bar.middle)}
                />
              );
            }}
          />
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}
