/** Message counts by size as bars, with cumulative share as a line, on a byte axis. */
import { formatCount, formatShare } from "@/lib/units";
import { type ChartTable, num, tableOf } from "./DataTable";
import { byteAxis } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { type Bar, Bars, Cumulative, middleOf } from "./plottables/Bars";
import { TooltipBox } from "./Tooltip";
import { linearScale } from "./ticks";

/** A bucket with its count and the cumulative share. */
export type SizeBar = Bar & { cumulative: number };

type Props = {
  name: string;
  bars: SizeBar[];
  total: number;
  /** Sizes that the axis must include. */
  sizes: number[];
  /** Right margin, equal to the chart below. */
  right_px: number;
  /** A note for the tooltip. */
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

const bytesText = (bytes: number) => `${formatCount(bytes)} B`;

/** The bars with their shares, as a table. */
export function barsTable(name: string, bars: SizeBar[]): ChartTable {
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  return tableOf(`${name}-sizes`, () => bars, [
    num("From", "from_bytes", ({ from }) => from, bytesText),
    num("To", "to_bytes", ({ to }) => to - 1, bytesText),
    num("Messages", "count", ({ count }) => count, formatCount),
    num("Share", "share", ({ count }) => count / Math.max(1, total), formatShare),
    num("Cumulative", "cumulative_share", ({ cumulative }) => cumulative, formatShare),
  ]);
}

type TooltipProps = { bar: SizeBar | undefined; total: number; note?: string };

export function BarTooltip({ bar, total, note }: TooltipProps) {
  if (bar === undefined) return null;
  return (
    <TooltipBox
      heading={`${formatCount(bar.from)} to ${formatCount(bar.to - 1)} B`}
      rows={[
        { name: "Messages", value: formatCount(bar.count) },
        { name: "Share", value: formatShare(bar.count / Math.max(1, total)) },
        { name: "Cumulative", value: formatShare(bar.cumulative) },
      ]}
      note={note}
    />
  );
}
