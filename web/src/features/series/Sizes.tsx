/** The pinned run's transports against message size, all else as in this series. */
import { memo } from "react";
import type { RunDetail, SeriesSummary } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { CrosshairScope } from "@/components/chart/crosshair";
import { LATENCY, RATE } from "@/components/chart/measure";
import { SweepChart } from "@/components/chart/SweepChart";
import { Segmented } from "@/components/ui/controls";
import { shortSha } from "@/lib/commits";
import { counted } from "@/lib/units";
import { type SeriesPoint, sizesOf, sweepOf } from "./data";
import { PERCENTILES, type Percentile } from "./search";
import { sizesTable } from "./tables";

type Props = {
  series: SeriesSummary;
  pinned: SeriesPoint;
  shown: Percentile | "throughput";
  /** `null` while it is on its way, or when it failed. */
  run: RunDetail | null;
  error: Error | null;
  onRetry: () => void;
  onShow: (percentile: Percentile) => void;
};

export const Sizes = memo(function Sizes({ series, pinned, shown, run, error, onRetry, onShow }: Props) {
  const { lossy } = pinned.point;
  const sweep = run === null ? null : sweepOf(run, series, shown, lossy);
  const lines = sweep?.lines ?? null;
  // One size is no sweep, and the run's page compares transports better.
  if (lines !== null && sizesOf(lines).length < 2) return null;
  const what = shown === "throughput" ? "Throughput" : `Latency (${nameOf(shown)})`;
  return (
    <ChartFrame
      name="sizes"
      title={`${what} against message size at ${shortSha(pinned.point.commit_sha)}`}
      summary={
        sweep === null
          ? ""
          : `${counted(sweep.lines.length, "transport")} of the same run, all else as here; both axes are logarithmic.${leftOutText(sweep.leftOut, lossy)}`
      }
      table={lines === null ? null : sizesTable(series, lines, shown)}
      controls={
        shown === "throughput" ? null : (
          <Segmented
            label="Percentile"
            options={PERCENTILES.map((value) => ({ value, label: nameOf(value) }))}
            value={shown}
            onChange={onShow}
          />
        )
      }
      {...(lines === null ? { pending: { error, onRetry } } : {})}
    >
      {lines !== null && (
        <CrosshairScope>
          <SweepChart
            name={`${what} of each transport against message size`}
            lines={lines}
            measure={shown === "throughput" ? RATE : LATENCY}
          />
        </CrosshairScope>
      )}
    </ChartFrame>
  );
});

function leftOutText(transports: string[], isLossy: boolean): string {
  if (transports.length === 0) return "";
  const what = isLossy ? "lost nothing" : "lost messages";
  return ` Left out, where they ${what}: ${transports.join(", ")}.`;
}

function nameOf(percentile: Percentile): string {
  return percentile === "p999" ? "p99.9" : percentile;
}
