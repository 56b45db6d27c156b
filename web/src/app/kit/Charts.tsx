/** The main charts, with data and without. */
import { ChartFrame } from "@/components/chart/ChartFrame";
import { DistributionChart } from "@/components/chart/DistributionChart";
import { type ForestMark, ForestRow } from "@/components/chart/ForestPlot";
import { type Estimate, forestScale } from "@/components/chart/forest";
import { LatencyShape } from "@/components/chart/LatencyShape";
import { lineStyle } from "@/components/chart/lines";
import { LATENCY } from "@/components/chart/measure";
import { Sparkline } from "@/components/chart/Sparkline";
import { SweepChart } from "@/components/chart/SweepChart";
import { TrendChart } from "@/components/chart/TrendChart";
import { linearScale } from "@/components/chart/ticks";
import { Section } from "@/components/ui/states";
import { MARKS } from "@/lib/changes";
import { VIEWS } from "@/lib/distributions";
import { latency } from "@/test/fixtures";

const nothing = () => {};
const STOPS = Array.from({ length: 40 }, (_, place) => place + 1);
/** Noise without randomness, and a step. */
const levelAt = (x: number) => 4000 + 120 * Math.sin(7 * x) + (x > 24 ? 700 : 0);
const HISTORY = STOPS.map(levelAt);
const SIZES = [16, 64, 256, 1024, 4096, 16_384];
const ESTIMATES: (Estimate & { mark: ForestMark })[] = [
  { mark: "slower", change: 0.12, interval: [0.08, 0.17], least: 0.02 },
  { mark: "faster", change: -0.06, interval: [-0.09, -0.03], least: 0.02 },
  { mark: "unchanged", change: 0.005, interval: [-0.01, 0.02], least: 0.02 },
  { mark: "inconclusive", change: 0.03, interval: [-0.15, 0.6], least: 0.02 },
];
const SCALE = forestScale(ESTIMATES);
const binsOf = (shift_ns: number) =>
  STOPS.map((place) => ({
    from_ns: shift_ns + 3600 + 60 * place,
    to_ns: shift_ns + 3660 + 60 * place,
    count: Math.round(400 * Math.exp(-((place - 10) ** 2) / 30) + 60 * Math.exp(-((place - 30) ** 2) / 12)),
  }));
const curveOf = (place: number, label: string, factor: number, xs: readonly number[]) => {
  const { stroke, ink, dash } = lineStyle(place);
  return {
    key: label,
    label,
    stroke,
    ink,
    dash,
    width: 1.5,
    points: xs.map((x) => [x, factor * levelAt(x)] as const),
  };
};

export function Charts() {
  return (
    <>
      <Section title="In tables">
        <Sparkline values={HISTORY} /> <Sparkline values={[4000]} /> <Sparkline values={[]} />
        <LatencyShape latency={latency(4000)} domain={[2000, 40_000]} />
        {ESTIMATES.map(({ mark, ...estimate }) => (
          <div key={mark} style={{ position: "relative", width: "15rem", height: "1.5rem" }}>
            <ForestRow estimate={estimate} mark={mark} scale={SCALE} />
          </div>
        ))}
      </Section>
      <ChartFrame name="kit" title="Trend" summary="A summary of one line." table={null}>
        <TrendChart
          name="kit-trend"
          label="Latency by commits"
          curves={[curveOf(0, "p50", 1, STOPS), curveOf(1, "p99", 1.8, STOPS)]}
          bands={[]}
          boxes={[]}
          marks={[]}
          rules={[]}
          changes={MARKS.map((mark, place) => ({
            x: 6 * (place + 1),
            from: 6 * (place + 1),
            mark,
            label: mark,
            direction: "regressed",
            isQuiet: false,
          }))}
          stops={STOPS}
          xScale={linearScale([1, 40])}
          xLabel={(x) => `#${x}`}
          measure={LATENCY}
          isLogarithmic={false}
          overview={STOPS.map((x) => [x, levelAt(x)])}
          extent={[1, 40]}
          onMove={nothing}
          pinned={{ x: 30, y: levelAt(30) }}
          onPin={nothing}
          onZoom={nothing}
          onPan={nothing}
          describe={(x) => `commit ${x}`}
          tooltip={(x) => x}
        />
      </ChartFrame>
      {VIEWS.map((view) => (
        <Section key={view} title={`Distribution, ${view}`}>
          <DistributionChart
            name={`kit-${view}`}
            label="Latency before and after"
            view={view}
            before={{ label: "before", bins: binsOf(0), repetitions: [] }}
            after={{ label: "after", bins: binsOf(500), repetitions: [] }}
            measure={LATENCY}
          />
        </Section>
      ))}
      <Section title="Sweep">
        <SweepChart
          name="Latency by message size"
          measure={LATENCY}
          lines={["pipe", "tcp", "ring-futex"].map((label, place) => ({
            key: label,
            label,
            current: place !== 1,
            points: SIZES.map((message_bytes) => ({
              message_bytes,
              value: (place + 1) * 1500 + message_bytes * (0.6 - 0.25 * place),
            })),
          }))}
        />
      </Section>
      <ChartFrame
        name="kit-loading"
        title="Loading chart"
        summary=""
        table={null}
        pending={{ error: null, onRetry: nothing }}
      >
        {null}
      </ChartFrame>
      <ChartFrame
        name="kit-failed"
        title="Failed chart"
        summary=""
        table={null}
        pending={{ error: new Error("Cannot read the chart."), onRetry: nothing }}
      >
        {null}
      </ChartFrame>
    </>
  );
}
