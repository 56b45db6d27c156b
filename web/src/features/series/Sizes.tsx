/** The transports of the pinned run by message size. */
import { memo } from "react";
import type { RunDetail, SeriesSummary } from "@/api/types";
import { ChartFrame, type Pending } from "@/components/chart/ChartFrame";
import { CrosshairScope } from "@/components/chart/crosshair";
import { LazySweepChart } from "@/components/chart/LazySweepChart";
import { withFamilyStyles } from "@/components/chart/lines";
import { LATENCY, RATE } from "@/components/chart/measure";
import { optionsOf, Segmented } from "@/components/ui/controls";
import { shortSha } from "@/lib/commits";
import { subjectOf } from "@/lib/fileNames";
import { percentileName, supports } from "@/lib/statistics";
import { counted } from "@/lib/units";
import { type SeriesPoint, sizesOf, sweepOf } from "./data";
import { PERCENTILES, type Percentile } from "./search";
import { sizesTable } from "./tables";

const SIZES_HEIGHT_PX = 300;

type SizesProps = {
  series: SeriesSummary;
  pinned: SeriesPoint;
  shown: Percentile | "throughput";
  /** `null` while loading or after an error. */
  run: RunDetail | null;
  onShow: (percentile: Percentile) => void;
} & Pending;

/** The transports of the pinned run by message size; all other parameters as in this series. */
export const Sizes = memo(function Sizes({ shown: asked, ...props }: SizesProps) {
  const { series, pinned, run, error, onRetry, onShow } = props;
  const shown = asked === "throughput" || supports(pinned.point.count, asked) ? asked : "p50";
  const { lossy } = pinned.point;
  const sweep = run === null ? null : sweepOf(run, series, shown, lossy);
  const lines = sweep?.lines ?? null;
  // A sweep needs at least two sizes.
  if (lines !== null && sizesOf(lines).length < 2) return null;
  const what = shown === "throughput" ? "Throughput" : `Latency (${percentileName(shown)})`;
  return (
    <ChartFrame
      name="sizes"
      title={`${what} by message size at ${shortSha(pinned.point.commit_sha)}`}
      subject={`Lines: transports, otherwise as ${subjectOf(series)}`}
      summary={
        sweep === null
          ? ""
          : `${counted(sweep.lines.length, "transport")} of this run.${leftOutText(sweep.leftOut, lossy)}`
      }
      table={lines === null ? null : sizesTable(series, pinned.point.commit_sha, lines, shown)}
      controls={
        shown === "throughput" ? null : (
          <Segmented
            label="Percentile"
            options={optionsOf(
              PERCENTILES.filter((key) => supports(pinned.point.count, key)),
              percentileName,
            )}
            value={shown}
            onChange={onShow}
          />
        )
      }
      pending={lines === null ? { error, onRetry } : undefined}
    >
      {lines !== null && (
        <CrosshairScope>
          <LazySweepChart
            name={`${what} of each transport by message size`}
            lines={withFamilyStyles(lines)}
            measure={shown === "throughput" ? RATE : LATENCY}
            height_px={SIZES_HEIGHT_PX}
          />
        </CrosshairScope>
      )}
    </ChartFrame>
  );
});

function leftOutText(transports: string[], isLossy: boolean): string {
  if (transports.length === 0) return "";
  return ` Left out (${isLossy ? "lossless" : "lossy"}): ${transports.join(", ")}.`;
}
