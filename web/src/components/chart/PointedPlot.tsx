/** A drawing area within its axes, the crosshair over it, and what a pointer does there. */
import { type ComponentProps, type ReactNode, useRef } from "react";
import { Plot } from "./Plot";
import { CrosshairMark } from "./plottables/CrosshairMark";
import type { Curve } from "./plottables/Curves";
import { Gestures } from "./plottables/Gestures";

type Props = Omit<ComponentProps<typeof Plot>, "children"> & {
  /** Tells charts with one crosshair apart, and is read out where there is no label. */
  name: string;
  label?: string;
  /** The places that have values, ascending. */
  stops: readonly number[];
  curves?: readonly Curve[];
  tooltip: (x: number) => ReactNode;
  /** What a click, a drag and the wheel do; `null` where what is drawn is dragged itself. */
  gestures?: Omit<ComponentProps<typeof Gestures>, "name" | "stops"> | null;
  frame?: ComponentProps<"div">;
  /** What is drawn below the axes. */
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
  return (
    <div ref={container} className="chart" role="img" aria-label={label} {...frame}>
      {backdrop}
      <Plot {...plot}>
        {children}
        <CrosshairMark name={name} stops={stops} curves={curves} within={container} tooltip={tooltip} />
        {gestures !== null && <Gestures name={name} stops={stops} {...gestures} />}
      </Plot>
    </div>
  );
}
