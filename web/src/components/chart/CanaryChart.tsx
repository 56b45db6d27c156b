/** A small chart of one canary's readings over a machine's runs, with lines for environment changes. */
import { median } from "@/lib/statistics";
import { lineStyle } from "./lines";
import { LATENCY } from "./measure";
import { PointedPlot } from "./PointedPlot";
import { Curves } from "./plottables/Curves";
import { type MarkedPoint, PointMarks } from "./plottables/PointMarks";
import { Rules } from "./plottables/Rules";
import { TooltipBox } from "./Tooltip";

type Props = {
  readings: { place: number; p50_ns: number }[];
  /** Runs on the axis: the same for all canaries, so that charts align. */
  runCount: number;
  /** Indices of the first runs in another environment. */
  rules: number[];
  runName: (place: number) => string;
  endName: (place: number) => string;
  name: string;
};

/** Minimum range around the median, so that ordinary noise looks small. */
const REACH_MIN = 0.1;
/** With more readings, dots are omitted. */
const DOTS_MAX = 30;

export function CanaryChart({ readings, runCount, rules, runName, endName, name }: Props) {
  const values = readings.map(({ p50_ns }) => p50_ns);
  const middle = median(values) ?? 0;
  const yScale = LATENCY.linear([...values, middle * (1 - REACH_MIN), middle * (1 + REACH_MIN)]);
  const ticks = yScale.ticks.filter((_, index) => index % 2 === 0);
  const labels = LATENCY.axisLabels(ticks);
  const last = Math.max(1, runCount - 1);
  const curve = {
    key: "p50",
    label: "p50",
    ...lineStyle(0),
    width: 1.5,
    points: readings.map(({ place, p50_ns }) => [place, p50_ns] as const),
  };
  const rowsAt = (place: number) =>
    readings
      .filter((reading) => reading.place === place)
      .map(({ p50_ns }) => ({ name: "p50", value: LATENCY.format(p50_ns) }));
  return (
    <PointedPlot
      name={name}
      stops={readings.map(({ place }) => place)}
      curves={[curve]}
      tooltip={(place) => <TooltipBox heading={runName(place)} rows={rowsAt(place)} />}
      height_px={132}
      top_px={6}
      right_px={8}
      x={{ domain: [0, last], ticks: [0, last], label: endName }}
      y={{ domain: yScale.domain, ticks, label: (tick) => labels[ticks.indexOf(tick)] ?? "" }}
    >
      <Rules rules={rules.map((place) => ({ x: place - 0.5, label: "" }))} changes={[]} />
      <Curves curves={[curve]} />
      <PointMarks
        points={readings.map(({ place, p50_ns }): MarkedPoint => ({ x: place, y: p50_ns, mark: "plain" }))}
        pinned={null}
        dots={readings.length <= DOTS_MAX}
      />
    </PointedPlot>
  );
}
