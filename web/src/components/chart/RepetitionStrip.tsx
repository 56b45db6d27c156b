/** The repetitions of one point below its histogram, on the same axis: fresh starts that agree line up. */
import { ComposedChart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { formatNs } from "@/lib/units";
import { AXIS, AXIS_WIDTH, TOOLTIP } from "./axis";
import { type Bin, DISTRIBUTION_MARGIN, distributionScale } from "./HistogramChart";

import { type Span, Spans } from "./plottables/Spans";
import { TooltipBox } from "./Tooltip";

type Props = { bins: Bin[]; spans: Span[]; name: string };

const ROW_PX = 13;
const ROWS_HEIGHT_MAX_PX = 260;

export function RepetitionStrip({ bins, spans, name }: Props) {
  const height = Math.min(spans.length * ROW_PX, ROWS_HEIGHT_MAX_PX) + 8;
  const rows = spans.map((span, row) => ({ ...span, row }));
  return (
    <div className="chart" role="img" aria-label={name}>
      <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 720, height }}>
        <ComposedChart data={rows} layout="vertical" margin={DISTRIBUTION_MARGIN} accessibilityLayer={false}>
          <XAxis {...AXIS} type="number" scale="log" domain={distributionScale(bins).domain} hide />
          <YAxis
            {...AXIS}
            type="number"
            dataKey="row"
            domain={[-0.7, spans.length - 0.3]}
            ticks={[0, spans.length - 1]}
            tickFormatter={(row: number) => `#${(spans[row]?.index ?? row) + 1}`}
            width={AXIS_WIDTH}
          />
          <Line dataKey="p50_ns" stroke="none" dot={false} activeDot={false} isAnimationActive={false} />
          <Spans spans={spans} />
          <Tooltip
            {...TOOLTIP}
            content={({ active, payload }) => {
              const span = payload?.[0]?.payload as Span | undefined;
              if (active !== true || span === undefined) return null;
              return (
                <TooltipBox
                  heading={`Repetition ${span.index + 1}`}
                  rows={[
                    { name: "p50", value: formatNs(span.p50_ns) },
                    { name: "p99", value: formatNs(span.p99_ns) },
                    { name: "max", value: formatNs(span.max_ns) },
                  ]}
                  {...(span.disturbed ? { note: "disturbed" } : {})}
                />
              );
            }}
          />
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}
