/**
 * Where the time of a message goes, by commit: stacked parts. One commit can be pinned by pointer or keyboard; for screen
 * readers the chart is a slider.
 */
import type { ReactNode } from "react";
import { type Budget, type Part, stackedNs } from "@/lib/budget";
import { type Keyed, onChartKey } from "./keys";
import { LATENCY } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { type Change, Rules } from "./plottables/Rules";
import { Stacks } from "./plottables/Stacks";
import type { Scale } from "./ticks";

type Props = Omit<Keyed, "stops"> & {
  name: string;
  label: string;
  budgets: Budget[];
  parts: Part[];
  changes: Change[];
  xScale: Scale;
  pinned_x: number;
  onPan: (by: number) => void;
  describe: (x: number) => string;
  tooltip: (x: number) => ReactNode;
};

/** The usual width of line names in the trend chart above, so that commits align. */
const RIGHT_PX = 48;

export function BudgetChart(props: Props) {
  const { name, budgets, parts, xScale, pinned_x, onPin, onZoom, onPan } = props;
  const [from, to] = xScale.domain;
  const stops = budgets.map(({ ordinal }) => ordinal);
  const seen = budgets.filter(({ ordinal }) => ordinal >= from && ordinal <= to);
  const yScale = LATENCY.linear([0, ...seen.map(stackedNs)]);
  const yLabels = LATENCY.axisLabels(yScale.ticks);
  return (
    <PointedPlot
      name={name}
      label={props.label}
      frame={{
        className: "chart chart-pinning",
        role: "slider",
        tabIndex: 0,
        "aria-valuemin": 1,
        "aria-valuemax": stops.length,
        "aria-valuenow": Math.max(0, stops.indexOf(pinned_x)) + 1,
        "aria-valuetext": props.describe(pinned_x),
        onKeyDown: (event) => onChartKey(event, pinned_x, xScale.domain, { stops, onPin, onZoom }),
      }}
      stops={stops}
      tooltip={props.tooltip}
      gestures={{ onPin, onZoom, onPan }}
      height_px={240}
      top_px={24}
      right_px={RIGHT_PX}
      x={{ ...xScale, label: (x) => `#${x}` }}
      y={{ ...yScale, label: (tick) => yLabels[yScale.ticks.indexOf(tick)] ?? "" }}
    >
      <Stacks
        stacks={budgets.map(({ ordinal, parts_ns }) => ({
          x: ordinal,
          values: parts.map(({ key }) => parts_ns[key].mean),
        }))}
        fills={parts.map(({ fill }) => fill)}
        pinned_x={pinned_x}
      />
      <Rules rules={[]} changes={props.changes.map((change) => ({ ...change, label: "" }))} />
    </PointedPlot>
  );
}
