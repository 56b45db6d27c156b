/** An inline box plot on a logarithmic axis that all rows of a table share. */
import type { Point } from "@/api/types";

type Props = {
  latency: Point["latency_ns"];
  domain: [number, number];
  width?: number;
};

const HEIGHT_PX = 14;

export function LatencyShape({ latency, domain, width = 150 }: Props) {
  const [low, high] = domain.map((bound) => Math.log(Math.max(1, bound))) as [number, number];
  const at = (ns: number) =>
    Number((((Math.log(Math.max(1, ns)) - low) / Math.max(high - low, 1e-9)) * (width - 4) + 2).toFixed(1));
  const middle = HEIGHT_PX / 2;
  return (
    <svg className="sparkline" width={width} height={HEIGHT_PX} aria-hidden="true">
      <path d={`M${at(latency.min)},${middle}H${at(latency.p99)}`} stroke="var(--rule-strong)" />
      <rect
        x={at(latency.p25)}
        y={middle - 4}
        width={Math.max(1.5, at(latency.p75) - at(latency.p25))}
        height={8}
        fill="var(--band)"
        stroke="none"
      />
      <path d={`M${at(latency.p50)},${middle - 4}v8`} stroke="var(--data-1)" strokeWidth={2} />
      <path d={`M${at(latency.p99)},${middle - 3}v6`} stroke="var(--data-3)" strokeWidth={1.5} />
      <circle cx={at(latency.max)} cy={middle} r={1.25} fill="var(--muted)" stroke="none" />
    </svg>
  );
}
