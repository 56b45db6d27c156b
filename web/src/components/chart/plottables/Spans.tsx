/** One row per repetition: a line from min to max, a tick at p99 and a dot at the median, with a tooltip. */
import { type ReactNode, type RefObject, useState } from "react";
import { usePlot } from "../usePlot";
import { TooltipNear } from "./CrosshairMark";

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
  const plot = usePlot();
  if (plot === null) return null;
  const { area, x, y } = plot;
  const height = Math.abs(y(1) - y(0));
  const at = (ns: number) => x(Math.max(1, ns));
  return (
    <g>
      {spans.map((span, row) => (
        <g
          key={span.index}
          opacity={pointed === null || pointed === span ? 1 : 0.4}
          onPointerEnter={() => setPointed(span)}
          onPointerLeave={() => setPointed(null)}
        >
          <rect x={area.x} y={y(row) - height / 2} width={area.width} height={height} fill="transparent" />
          <path d={`M${at(span.min_ns)},${y(row)}H${at(span.max_ns)}`} stroke="var(--rule-strong)" />
          <path d={`M${at(span.p99_ns)},${y(row) - 3}v6`} stroke="var(--data-4)" strokeWidth={1.5} />
          <circle
            cx={at(span.p50_ns)}
            cy={y(row)}
            r={3}
            fill={span.disturbed ? "var(--ground)" : "var(--data-1)"}
            stroke="var(--data-1)"
            strokeWidth={1.5}
          />
        </g>
      ))}
      {pointed !== null && (
        <TooltipNear at={at(pointed.p50_ns)} top={y(spans.indexOf(pointed))} within={within}>
          {tooltip(pointed)}
        </TooltipNear>
      )}
    </g>
  );
}
