/** One row a repetition: a hairline from the fastest to the slowest time, a tick at p99 and a dot at the median. */
import { useXAxisScale, useYAxisScale } from "recharts";

/** One repetition's times. */
export type Span = {
  index: number;
  min_ns: number;
  p50_ns: number;
  p99_ns: number;
  max_ns: number;
  disturbed: boolean;
};

export function Spans({ spans }: { spans: Span[] }) {
  const x = useXAxisScale();
  const y = useYAxisScale();
  if (x === undefined || y === undefined) return null;
  const at = (ns: number) => x(Math.max(1, ns)) ?? 0;
  return (
    <g>
      {spans.map((span, row) => {
        const height = y(row) ?? 0;
        return (
          <g key={span.index}>
            <path d={`M${at(span.min_ns)},${height}H${at(span.max_ns)}`} stroke="var(--rule-strong)" />
            <path d={`M${at(span.p99_ns)},${height - 3}v6`} stroke="var(--data-4)" strokeWidth={1.5} />
            <circle
              cx={at(span.p50_ns)}
              cy={height}
              r={3}
              fill={span.disturbed ? "var(--ground)" : "var(--data-1)"}
              stroke="var(--data-1)"
              strokeWidth={1.5}
            />
          </g>
        );
      })}
    </g>
  );
}
