/** How many messages have which size, as bars, and the share of all that are not larger, as a line, over a byte axis. */
import { useRef } from "react";
import { formatBytes, formatCount, formatShare } from "@/lib/units";
import { Plot } from "./Plot";
import { type Bar, Bars, middleOf } from "./plottables/Bars";
import { CrosshairMark } from "./plottables/CrosshairMark";
import { Cumulative } from "./plottables/Cumulative";
import { Gestures } from "./plottables/Gestures";
import { BYTE_PADDING_PX } from "./SweepChart";
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
  /** What else is to be said of a size. */
  note: (message_bytes: number) => string;
};

const HEIGHT_PX = 240;

export function SizeHistogramChart({ name, bars, total, sizes, right_px, note }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const most = bars.reduce((largest, { count }) => Math.max(largest, count), 1);
  const yScale = linearScale([0, most], 4);
  const stops = bars.map(middleOf);
  return (
    <div ref={container} className="chart" role="img" aria-label={name}>
      <Plot
        height_px={HEIGHT_PX}
        top_px={10}
        right_px={right_px}
        x={{ ...byteScale(sizes), label: formatBytes, isLogarithmic: true, padding_px: BYTE_PADDING_PX }}
        y={{ domain: [0, yScale.domain[1]], ticks: yScale.ticks, label: formatCount }}
      >
        <Bars bars={bars} />
        <Cumulative bars={bars} />
        <CrosshairMark
          name={name}
          stops={stops}
          curves={[]}
          within={container}
          tooltip={(x) => <BarTooltip bar={bars[stops.indexOf(x)]} total={total} note={note(x)} />}
        />
        <Gestures name={name} stops={stops} />
      </Plot>
    </div>
  );
}

function BarTooltip({ bar, total, note }: { bar: SizeBar | undefined; total: number; note: string }) {
  if (bar === undefined) return null;
  return (
    <TooltipBox
      heading={`${formatCount(bar.from)} to ${formatCount(bar.to - 1)} B`}
      rows={[
        { name: "messages", value: formatCount(bar.count) },
        { name: "share", value: formatShare(bar.count / total) },
        { name: "not larger", value: formatShare(bar.cumulative) },
      ]}
      note={note}
    />
  );
}
