/** Message counts by size as draggable bars, with cumulative share, on a byte axis. */
import { useState } from "react";
import { formatCount, formatShare } from "@/lib/units";
import { CrosshairScope } from "./crosshair";
import { draggedScale } from "./dragged";
import { byteAxis } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { Cumulative, middleOf } from "./plottables/Bars";
import { type CrossingMark, Crossings, crossingsHeight } from "./plottables/Crossings";
import { DraggedBars } from "./plottables/DraggedBars";
import { BarTooltip, type SizeBar } from "./SizeHistogramChart";
import type { Scale } from "./ticks";
import { useIsNarrow } from "./useIsNarrow";

type Props = {
  name: string;
  bars: SizeBar[];
  start: SizeBar[];
  crossings: CrossingMark[];
  onDrag: (place: number, count: number) => void;
};

export function DraggedBarsChart({ name, bars, start, crossings, onDrag }: Props) {
  // The axis is fixed during a drag: otherwise the bar would move away from the pointer.
  const [held, setHeld] = useState<Scale | null>(null);
  const isNarrow = useIsNarrow();
  const y = held ?? draggedScale([...bars, ...start].map(({ count }) => count));
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const stops = bars.map(middleOf);
  const marks = isNarrow ? crossings.map((mark) => ({ ...mark, label: "" })) : crossings;
  const textOf = (place: number) => {
    const { count = 0 } = bars[place] ?? {};
    return `${formatCount(count)} messages, ${formatShare(count / Math.max(1, total))}`;
  };
  return (
    <CrosshairScope>
      <PointedPlot
        name={name}
        frame={{ role: "group" }}
        stops={stops}
        tooltip={(x) => <BarTooltip bar={bars[stops.indexOf(x)]} total={total} />}
        gestures={null}
        height_px={264}
        top_px={isNarrow || marks.length === 0 ? 10 : crossingsHeight(marks.length)}
        right_px={56}
        x={byteAxis([...bars, ...start].flatMap(({ from, to }) => [Math.max(1, from), to]))}
        y={{ ...y, label: formatCount }}
      >
        <Crossings crossings={marks} />
        <DraggedBars
          name={name}
          bars={bars}
          start={start}
          top={y.domain[1]}
          textOf={textOf}
          onDrag={onDrag}
          onHold={(isHeld) => setHeld(isHeld ? y : null)}
        />
        <Cumulative bars={bars} />
      </PointedPlot>
    </CrosshairScope>
  );
}
