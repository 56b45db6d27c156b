/** Axes, labels and grid lines around a drawing area. */
import { type ReactNode, useMemo } from "react";
import { ComposedChart, XAxis, YAxis } from "recharts";
import { distinct } from "@/lib/collections";
import type { Scale } from "./ticks";
import { usePlot } from "./usePlot";
import { useWidth } from "./useWidth";

/** An axis: range, labelled positions and label format. */
type PlotAxis = Scale & {
  label: (tick: number) => string;
  isLogarithmic?: boolean;
  /** Padding between the axis ends and the drawing area. */
  padding_px?: number;
};

type Props = {
  height_px: number;
  top_px: number;
  right_px: number;
  /** Whether labels are omitted, because another chart shares the axis. */
  x: PlotAxis & { isHidden?: boolean };
  y: PlotAxis;
  /** Whether vertical-axis labels have grid lines. */
  hasRules?: boolean;
  children: ReactNode;
};

/** Properties of every axis. */
const AXIS = {
  axisLine: false,
  tickLine: false,
  tick: { fill: "var(--muted)" },
  // Labels that would overlap are omitted; the ends stay.
  interval: "preserveStartEnd",
  minTickGap: 10,
} as const;

/** Room for the labels of a vertical axis. */
export const AXIS_WIDTH = 70;

/** The axes have fixed ranges, but Recharts requires data. */
const ENDS = [{ x: 1 }, { x: 2 }];

export function Plot({ height_px, top_px, right_px, x, y, hasRules = true, children }: Props) {
  const { frame, width_px } = useWidth();
  const margin = useMemo(() => ({ top: top_px, right: right_px, bottom: 0, left: 0 }), [top_px, right_px]);
  const xAxis = useAxis(x);
  const yAxis = useAxis(y);
  return (
    <div ref={frame} className="plot" style={{ height: height_px }}>
      {width_px > 0 && (
        <ComposedChart
          width={width_px}
          height={height_px}
          data={ENDS}
          margin={margin}
          accessibilityLayer={false}
        >
          {hasRules && <Grid ticks={yAxis.ticks} />}
          <XAxis {...AXIS} {...xAxis} dataKey="x" height={30} tickMargin={12} hide={x.isHidden ?? false} />
          <YAxis {...AXIS} {...yAxis} width={AXIS_WIDTH} />
          {children}
        </ComposedChart>
      )}
    </div>
  );
}

/** A line at each label of the vertical axis, and at both ends. */
function Grid({ ticks }: { ticks: number[] }) {
  const plot = usePlot();
  if (plot === null) return null;
  const { area, bottom, y } = plot;
  const heights = distinct([area.y, ...ticks.map(y), bottom]);
  return <path d={heights.map((at) => `M${area.x},${at}h${area.width}`).join("")} stroke="var(--rule)" />;
}

/** The properties of an axis. Recharts computes a chart again for new objects, so equal properties stay the same object. */
function useAxis({ domain, ticks, label, isLogarithmic = false, padding_px = 0 }: PlotAxis) {
  const labels = ticks.map(label);
  const key = JSON.stringify([domain, ticks, labels, isLogarithmic, padding_px]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains all values.
  return useMemo(
    () =>
      ({
        type: "number",
        scale: isLogarithmic ? "log" : "linear",
        domain,
        ticks,
        niceTicks: "none",
        tickFormatter: (tick: number) => labels[ticks.indexOf(tick)] ?? "",
        allowDataOverflow: true,
        padding: { left: padding_px, right: padding_px, top: padding_px, bottom: padding_px },
      }) as const,
    [key],
  );
}
