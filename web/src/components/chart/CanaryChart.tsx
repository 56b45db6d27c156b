/** One canary's readings over a machine's runs: a small chart of many alike, with a rule where the environment changed. */
import { Line, LineChart, ReferenceLine, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { median } from "@/lib/statistics";
import { AXIS, AXIS_WIDTH, TOOLTIP } from "./axis";
import { LATENCY } from "./measure";
import { TooltipBox } from "./Tooltip";

type Props = {
  /** Each reading at its run's place, counted from 0. */
  readings: { place: number; p50_ns: number }[];
  /** How many runs the axis has: the same for all canaries, so that they stand below each other. */
  runCount: number;
  /** Places of the first runs in another environment. */
  rules: number[];
  /** A run, for the tooltip and below the axis' ends. */
  runName: (place: number) => string;
  endName: (place: number) => string;
  name: string;
};

const HEIGHT_PX = 132;
/** The axis reaches at least so far to both sides of the median, so that ordinary noise looks small. */
const REACH_MIN = 0.1;
/** Up to this many readings each get a dot. */
const DOTS_MAX = 30;

export function CanaryChart({ readings, runCount, rules, runName, endName, name }: Props) {
  const values = readings.map(({ p50_ns }) => p50_ns);
  const middle = median(values) ?? 0;
  const yScale = LATENCY.linear([...values, middle * (1 - REACH_MIN), middle * (1 + REACH_MIN)]);
  const ticks = yScale.ticks.filter((_, index) => index % 2 === 0);
  const labels = LATENCY.axisLabels(ticks);
  const last = Math.max(1, runCount - 1);
  return (
    <div className="chart" role="img" aria-label={name}>
      <ResponsiveContainer
        width="100%"
        height={HEIGHT_PX}
        initialDimension={{ width: 360, height: HEIGHT_PX }}
      >
        <LineChart
          data={readings}
          margin={{ top: 6, right: 8, bottom: 0, left: 0 }}
          accessibilityLayer={false}
        >
          <XAxis
            {...AXIS}
            type="number"
            dataKey="place"
            domain={[0, last]}
            ticks={[0, last]}
            tick={<EndTick last={last} text={endName} />}
            height={24}
          />
          <YAxis
            {...AXIS}
            domain={yScale.domain}
            ticks={ticks}
            tickFormatter={(tick: number) => labels[ticks.indexOf(tick)] ?? ""}
            width={AXIS_WIDTH}
          />
          {rules.map((place) => (
            <ReferenceLine key={place} x={place - 0.5} stroke="var(--muted)" strokeDasharray="2 3" />
          ))}
          <Line
            dataKey="p50_ns"
            stroke="var(--data-1)"
            strokeWidth={1.5}
            dot={readings.length <= DOTS_MAX ? { r: 1.75, fill: "var(--data-1)", stroke: "none" } : false}
            activeDot={{ r: 3, stroke: "none", fill: "var(--data-1)" }}
            isAnimationActive={false}
          />
          <Tooltip
            {...TOOLTIP}
            content={({ active, payload }) => {
              const reading = payload?.[0]?.payload as Props["readings"][number] | undefined;
              if (active !== true || reading === undefined) return null;
              return (
                <TooltipBox
                  heading={runName(reading.place)}
                  rows={[{ name: "p50", value: LATENCY.format(reading.p50_ns) }]}
                />
              );
            }}
          />
        </LineChart>
      </ResponsiveContainer>
    </div>
  );
}

type EndTickProps = {
  last: number;
  text: (place: number) => string;
  x?: number;
  y?: number;
  payload?: { value: number };
};

/** The names of the ends stand within the drawing area. */
function EndTick({ last, text, x, y, payload }: EndTickProps) {
  if (payload === undefined) return null;
  return (
    <text x={x} y={y} dy={12} textAnchor={payload.value === last ? "end" : "start"}>
      {text(payload.value)}
    </text>
  );
}
