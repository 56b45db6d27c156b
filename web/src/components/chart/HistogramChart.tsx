/** One point's distribution on a logarithmic axis of time, with its percentiles marked. */
import { useRef } from "react";
import { axisLabelsOfNs, formatCount, formatNs, formatShare } from "@/lib/units";
import { CrosshairScope } from "./crosshair";
import { Plot } from "./Plot";
import { Bars, middleOf } from "./plottables/Bars";
import { CrosshairMark } from "./plottables/CrosshairMark";
import { Gestures } from "./plottables/Gestures";
import { type Marker, Markers } from "./plottables/Markers";
import { type Span, Spans } from "./plottables/Spans";
import { TooltipBox } from "./Tooltip";
import { linearScale, logScale, type Scale } from "./ticks";

/** Counted values between two bounds. */
type Bin = { from_ns: number; to_ns: number; count: number };

type Props = { bins: Bin[]; total: number; markers: Marker[]; name: string };

const HEIGHT_PX = 256;
/** Room for the percentiles' names. */
const TOP_PX = 54;

/** The horizontal axis of a distribution; what is drawn below the histogram shares it. */
function distributionScale(bins: Bin[]): Scale {
  return logScale(bins.flatMap(({ from_ns, to_ns }) => [Math.max(1, from_ns), to_ns]));
}

/** Room that a chart must have at its right to line up with the histogram. */
const DISTRIBUTION_RIGHT_PX = 48;

export function HistogramChart({ bins, total, markers, name }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const most = bins.reduce((largest, { count }) => Math.max(largest, count), 1);
  const yScale = linearScale([0, most], 4);
  const bars = bins.map(({ from_ns, to_ns, count }) => ({ from: from_ns, to: to_ns, count }));
  const stops = bars.map(middleOf);
  return (
    <CrosshairScope>
      <div ref={container} className="chart" role="img" aria-label={name}>
        <Plot
          height_px={HEIGHT_PX}
          top_px={TOP_PX}
          right_px={DISTRIBUTION_RIGHT_PX}
          x={{
            ...distributionScale(bins),
            label: (tick) => axisLabelsOfNs([tick])[0] ?? "",
            isLogarithmic: true,
          }}
          y={{
            domain: [0, yScale.domain[1]],
            ticks: yScale.ticks.filter(Number.isInteger),
            label: formatCount,
          }}
        >
          <Bars bars={bars} />
          <Markers markers={markers} />
          <CrosshairMark
            name={name}
            stops={stops}
            curves={[]}
            within={container}
            tooltip={(x) => <BinTooltip bin={bins[stops.indexOf(x)]} total={total} />}
          />
          <Gestures name={name} stops={stops} />
        </Plot>
      </div>
    </CrosshairScope>
  );
}

function BinTooltip({ bin, total }: { bin: Bin | undefined; total: number }) {
  if (bin === undefined) return null;
  return (
    <TooltipBox
      heading={`${formatNs(bin.from_ns)} to ${formatNs(bin.to_ns)}`}
      rows={[
        { name: "operations", value: formatCount(bin.count) },
        { name: "share", value: formatShare(bin.count / total) },
      ]}
    />
  );
}

type RepetitionStripProps = { bins: Bin[]; spans: Span[]; name: string };

const ROW_PX = 13;
const ROWS_HEIGHT_MAX_PX = 260;

/** The repetitions of one point below its histogram, on the same axis: fresh starts that agree line up. */
export function RepetitionStrip({ bins, spans, name }: RepetitionStripProps) {
  const container = useRef<HTMLDivElement>(null);
  return (
    <div ref={container} className="chart" role="img" aria-label={name}>
      <Plot
        height_px={Math.min(spans.length * ROW_PX, ROWS_HEIGHT_MAX_PX) + 8}
        top_px={0}
        right_px={DISTRIBUTION_RIGHT_PX}
        x={{ ...distributionScale(bins), label: String, isLogarithmic: true, isHidden: true }}
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
              rows={[
                { name: "p50", value: formatNs(span.p50_ns) },
                { name: "p99", value: formatNs(span.p99_ns) },
                { name: "max", value: formatNs(span.max_ns) },
              ]}
              {...(span.disturbed ? { note: "disturbed" } : {})}
            />
          )}
        />
      </Plot>
    </div>
  );
}
