/** One point's distribution on a logarithmic axis, with its percentiles marked. */
import { useRef } from "react";
import { formatCount, formatShare } from "@/lib/units";
import { CrosshairScope } from "./crosshair";
import { logAxis, type Measure } from "./measure";
import { Plot } from "./Plot";
import { PointedPlot } from "./PointedPlot";
import { Bars, middleOf } from "./plottables/Bars";
import { type Marker, Markers } from "./plottables/Crossings";
import { type Span, Spans } from "./plottables/Spans";
import { TooltipBox } from "./Tooltip";
import { linearScale } from "./ticks";

type Bin = { from_ns: number; to_ns: number; count: number };

type Props = { bins: Bin[]; total: number; markers: Marker[]; name: string; measure: Measure };

/** The axis, shared with the chart below. */
const axisOf = (bins: Bin[], measure: Measure) =>
  logAxis(
    measure,
    bins.flatMap(({ from_ns, to_ns }) => [Math.max(1, from_ns), to_ns]),
  );
const RIGHT_PX = 48;

export function HistogramChart({ bins, total, markers, name, measure }: Props) {
  const most = bins.reduce((largest, { count }) => Math.max(largest, count), 1);
  const yScale = linearScale([0, most], 4);
  const bars = bins.map(({ from_ns, to_ns, count }) => ({ from: from_ns, to: to_ns, count }));
  const stops = bars.map(middleOf);
  const ticks = yScale.ticks.filter(Number.isInteger);
  return (
    <CrosshairScope>
      <PointedPlot
        name={name}
        stops={stops}
        tooltip={(x) => <BinTooltip bin={bins[stops.indexOf(x)]} total={total} measure={measure} />}
        height_px={256}
        top_px={54}
        right_px={RIGHT_PX}
        x={axisOf(bins, measure)}
        y={{ domain: [0, yScale.domain[1]], ticks, label: formatCount }}
      >
        <Bars bars={bars} />
        <Markers markers={markers} />
      </PointedPlot>
    </CrosshairScope>
  );
}

type BinTooltipProps = { bin: Bin | undefined; total: number; measure: Measure };

function BinTooltip({ bin, total, measure }: BinTooltipProps) {
  if (bin === undefined) return null;
  return (
    <TooltipBox
      heading={`${measure.format(bin.from_ns)} to ${measure.format(bin.to_ns)}`}
      rows={[
        { name: "operations", value: formatCount(bin.count) },
        { name: "share", value: formatShare(bin.count / total) },
      ]}
    />
  );
}

const ROW_PX = 13;
const ROWS_HEIGHT_MAX_PX = 260;

type StripProps = { bins: Bin[]; spans: Span[]; name: string; measure: Measure };

/** The repetitions of one point, on the same axis as its histogram. */
export function RepetitionStrip({ bins, spans, name, measure }: StripProps) {
  const container = useRef<HTMLDivElement>(null);
  return (
    <div ref={container} className="chart" role="img" aria-label={name}>
      <Plot
        height_px={Math.min(spans.length * ROW_PX, ROWS_HEIGHT_MAX_PX) + 8}
        top_px={0}
        right_px={RIGHT_PX}
        x={{ ...axisOf(bins, measure), isHidden: true }}
        y={{
          domain: [spans.length - 0.3, -0.7],
          ticks: [0, spans.length - 1],
          label: (row) => `#${(spans[row]?.index ?? row) + 1}`,
        }}
        hasRules={false}
      >
        <Spans
          spans={spans}
          within={container}
          tooltip={(span) => (
            <TooltipBox
              heading={`Repetition ${span.index + 1}`}
              rows={(["p50", "p99", "max"] as const).map((name) => ({
                name,
                value: measure.format(span[`${name}_ns`]),
              }))}
              note={span.disturbed ? "disturbed" : undefined}
            />
          )}
        />
      </Plot>
    </div>
  );
}
