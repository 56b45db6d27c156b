/** A plot with crosshair and pointer gestures. */
import { type ComponentProps, type ReactNode, useRef } from "react";
import { usePainted } from "@/lib/hooks";
import { Plot } from "./Plot";
import { CrosshairMark } from "./plottables/CrosshairMark";
import type { Curve } from "./plottables/Curves";
import { Gestures } from "./plottables/Gestures";

type Props = Omit<ComponentProps<typeof Plot>, "children"> & {
  /** Identifies the chart for the crosshair; also its accessible name without a label. */
  name: string;
  label?: string;
  /** Positions with values, ascending. */
  stops: readonly number[];
  curves?: readonly Curve[];
  tooltip: (x: number) => ReactNode;
  /** Handlers for click, drag and wheel; `null` if the plot handles them itself. */
  gestures?: Omit<ComponentProps<typeof Gestures>, "name" | "stops" | "curves"> | null;
  frame?: ComponentProps<"div">;
  /** Children below the axes. */
  backdrop?: ReactNode;
  children: ReactNode;
};

export function PointedPlot({
  name,
  label = name,
  stops,
  curves = [],
  tooltip,
  gestures = {},
  frame = {},
  backdrop,
  children,
  ...plot
}: Props) {
  const container = useRef<HTMLDivElement>(null);
  const drawing = (
    <Plot {...plot}>
      {children}
      <CrosshairMark name={name} stops={stops} curves={curves} within={container} tooltip={tooltip} />
      {gestures !== null && <Gestures name={name} stops={stops} curves={curves} {...gestures} />}
    </Plot>
  );
  return (
    <div ref={container} className="chart" role="img" aria-label={label} {...frame}>
      {backdrop}
      {/* What is dragged follows the pointer immediately. */}
      {gestures === null ? drawing : <Painted>{drawing}</Painted>}
    </div>
  );
}

/** Draws updates after the browser has reacted to an input: thousands of points take long on a slow device. */
function Painted({ children }: { children: ReactNode }) {
  return usePainted(children);
}
