/** Axes, labels and grid lines around a drawing area. */
import type { ReactNode } from "react";
import { CartesianGrid, ComposedChart, ResponsiveContainer, XAxis, YAxis } from "recharts";
import type { Scale } from "./ticks";

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

/** Properties of the grid lines. */
const GRID = { stroke: "var(--rule)", vertical: false } as const;

/** The axes have fixed ranges, but Recharts requires data. */
const ENDS = [{ x: 1 }, { x: 2 }];

export function Plot({ height_px, top_px, right_px, x, y, hasRules = true, children }: Props) {
  return (
    <ResponsiveContainer width="100%" height={height_px} initialDimension={{ width: 720, height: height_px }}>
      <ComposedChart
        data={ENDS}
        margin={{ top: top_px, right: right_px, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        {hasRules && <CartesianGrid {...GRID} />}
        <XAxis
          {...AXIS}
          {...axisOf(x)}
          dataKey="x"
          padding={{ left: x.padding_px ?? 0, right: x.padding_px ?? 0 }}
          height={30}
          tickMargin={12}
          hide={x.isHidden ?? false}
        />
        <YAxis
          {...AXIS}
          {...axisOf(y)}
          padding={{ top: y.padding_px ?? 0, bottom: y.padding_px ?? 0 }}
          width={AXIS_WIDTH}
        />
        {children}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

function axisOf({ domain, ticks, label, isLogarithmic = false }: PlotAxis) {
  return {
    type: "number",
    scale: isLogarithmic ? "log" : "linear",
    domain,
    ticks,
    tickFormatter: label,
    allowDataOverflow: true,
  } as const;
}
