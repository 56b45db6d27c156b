/** How many messages have which size, as bars, and the share of all that are not larger, as a line, over a byte axis. */
import { formatCount, formatShare } from "@/lib/units";
import { byteAxis } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { type Bar, Bars, Cumulative, middleOf } from "./plottables/Bars";
import { TooltipBox } from "./Tooltip";
import { linearScale } from "./ticks";

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
  /** What else is to be said of a size. */
  note: (message_bytes: number) => string;
};

export function SizeHistogramChart({ name, bars, total, sizes, right_px, note }: Props) {
  const most = bars.reduce((largest, { count }) => Math.max(largest, count), 1);
  const yScale = linearScale([0, most], 4);
  const stops = bars.map(middleOf);
  return (
    <PointedPlot
      name={name}
      stops={stops}
      tooltip={(x) => <BarTooltip bar={bars[stops.indexOf(x)]} total={total} note={note(x)} />}
      height_px={240}
      top_px={10}
      right_px={right_px}
      x={byteAxis(sizes)}
      y={{ domain: [0, yScale.domain[1]], ticks: yScale.ticks, label: formatCount }}
    >
      <Bars bars={bars} />
      <Cumulative bars={bars} />
    </PointedPlot>
  );
}

type TooltipProps = { bar: SizeBar | undefined; total: number; note?: string };

export function BarTooltip({ bar, total, note }: TooltipProps) {
  if (bar === undefined) return null;
  return (
    <TooltipBox
      heading={`${formatCount(bar.from)} to ${formatCount(bar.to - 1)} B`}
      rows={[
        { name: "messages", value: formatCount(bar.count) },
        { name: "share", value: formatShare(bar.count / Math.max(1, total)) },
        { name: "cumulative", value: formatShare(bar.cumulative) },
      ]}
      note={note}
    />
  );
}
