/** How many messages have which size, as bars that can be dragged, and the share of all that are not larger, over a byte axis. */
import { useRef, useState } from "react";
import { formatBytes, formatCount, formatShare } from "@/lib/units";
import { CrosshairScope } from "./crosshair";
import { draggedScale } from "./dragged";
import { Plot } from "./Plot";
import { middleOf } from "./plottables/Bars";
import { CrosshairMark } from "./plottables/CrosshairMark";
import { type CrossingMark, Crossings, crossingsHeight } from "./plottables/Crossings";
import { Cumulative } from "./plottables/Cumulative";
import { DraggedBars } from "./plottables/DraggedBars";
import type { SizeBar } from "./SizeHistogramChart";
import { BYTE_PADDING_PX } from "./SweepChart";
import { TooltipBox } from "./Tooltip";
import { byteScale, type Scale } from "./ticks";
import { useIsNarrow } from "./useIsNarrow";

type Props = {
  name: string;
  bars: SizeBar[];
  /** The same bars as they stood at first. */
  start: SizeBar[];
  /** Sizes at which something changes. */
  crossings: CrossingMark[];
  onDrag: (place: number, count: number) => void;
};

const HEIGHT_PX = 264;
/** Room for the shares at the right. */
const RIGHT_PX = 56;
/** Room for the tooltip's end of a bar at the top. */
const TOP_PX = 10;

export function DraggedBarsChart({ name, bars, start, crossings, onDrag }: Props) {
  const container = useRef<HTMLDivElement>(null);
  // The axis stands still while a bar is held: else what is dragged would run from the pointer.
  const [held, setHeld] = useState<Scale | null>(null);
  const isNarrow = useIsNarrow();
  const y = held ?? draggedScale([...bars, ...start].map(({ count }) => count));
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const sizes = [...bars, ...start].flatMap(({ from, to }) => [Math.max(1, from), to]);
  const stops = bars.map(middleOf);
  const marks = isNarrow ? crossings.map((mark) => ({ ...mark, label: "" })) : crossings;
  return (
    <CrosshairScope>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend and a frame of its own. */}
      <div ref={container} className="chart" role="group" aria-label={name}>
        <Plot
          height_px={HEIGHT_PX}
          top_px={isNarrow || marks.length === 0 ? TOP_PX : crossingsHeight(marks.length)}
          right_px={RIGHT_PX}
          x={{ ...byteScale(sizes), label: formatBytes, isLogarithmic: true, padding_px: BYTE_PADDING_PX }}
          y={{ ...y, label: formatCount }}
        >
          <Crossings crossings={marks} />
          <DraggedBars
            name={name}
            bars={bars}
            start={start}
            top={y.domain[1]}
            textOf={(place) => textOf(bars[place], total)}
            onDrag={onDrag}
            onHold={(isHeld) => setHeld(isHeld ? y : null)}
          />
          <Cumulative bars={bars} />
          <CrosshairMark
            name={name}
            stops={stops}
            curves={[]}
            within={container}
            tooltip={(x) => <BarTooltip bar={bars[stops.indexOf(x)]} total={total} />}
          />
        </Plot>
      </div>
    </CrosshairScope>
  );
}

function textOf(bar: SizeBar | undefined, total: number): string {
  if (bar === undefined) return "";
  return `${formatCount(bar.count)} messages, ${formatShare(bar.count / Math.max(1, total))}`;
}

function BarTooltip({ bar, total }: { bar: SizeBar | undefined; total: number }) {
  if (bar === undefined) return null;
  return (
    <TooltipBox
      heading={`${formatCount(bar.from)} to ${formatCount(bar.to - 1)} B`}
      rows={[
        { name: "messages", value: formatCount(bar.count) },
        { name: "share", value: formatShare(bar.count / Math.max(1, total)) },
        { name: "not larger", value: formatShare(bar.cumulative) },
      ]}
    />
  );
}
