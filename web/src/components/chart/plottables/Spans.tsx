/**
 * One row a repetition: a hairline from the fastest to the slowest time, a tick at p99 and a dot at the median. Beside the
 * row that the pointer is over stands what it is.
 */
import { type ReactNode, type RefObject, useState } from "react";
import { usePlotArea, useXAxisScale, useYAxisScale } from "recharts";
import { TooltipBeside } from "./CrosshairMark";

/** One repetition's times. */
export type Span = {
  index: number;
  min_ns: number;
  p50_ns: number;
  p99_ns: number;
  max_ns: number;
  disturbed: boolean;
};

type Props = {
  spans: Span[];
  within: RefObject<HTMLElement | null>;
  tooltip: (span: Span) => ReactNode;
};

export function Spans({ spans, within, tooltip }: Props) {
  const [pointed, setPointed] = useState<Span | null>(null);
  const area = usePlotArea();
  const x = useXAxisScale();
  const y = useYAxisScale();
  if (area === undefined || x === undefined || y === undefined) return null;
  const rowHeight = Math.abs((y(1) ?? 0) - (y(0) ?? 0));
  const at = (ns: number) => x(Math.max(1, ns)) ?? 0;
  return (
    <g>
      {spans.map((span, row) => {
        const height = y(row) ?? 0;
        return (
          <g
            key={span.index}
            opacity={pointed === null || pointed === span ? 1 : 0.4}
            onPointerEnter={() => setPointed(span)}
            onPointerLeave={() => setPointed(null)}
          >
            <rect
              x={area.x}
              y={height - rowHeight / 2}
              width={area.width}
              height={rowHeight}
              fill="transparent"
            />
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
      {pointed !== null && (
        <TooltipBeside at={at(pointed.p50_ns)} top={y(spans.indexOf(pointed)) ?? 0} within={within}>
          {tooltip(pointed)}
        </TooltipBeside>
      )}
    </g>
  );
}
