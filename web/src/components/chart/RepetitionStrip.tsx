/** The repetitions of one point below its histogram, on the same axis: fresh starts that agree line up. */
import { useRef } from "react";
import { formatNs } from "@/lib/units";
import { type Bin, DISTRIBUTION_RIGHT_PX, distributionScale } from "./HistogramChart";
import { Plot } from "./Plot";
import { type Span, Spans } from "./plottables/Spans";
import { TooltipBox } from "./Tooltip";

type Props = { bins: Bin[]; spans: Span[]; name: string };

const ROW_PX = 13;
const ROWS_HEIGHT_MAX_PX = 260;

export function RepetitionStrip({ bins, spans, name }: Props) {
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
