/** Charts of the pinned point: distribution, percentiles, and the transports of its run by message size. */
import { memo } from "react";
import type { Point, PointDetail, RunDetail, SeriesSummary } from "@/api/types";
import { ChartFrame, type Pending } from "@/components/chart/ChartFrame";
import { CrosshairScope } from "@/components/chart/crosshair";
import { HistogramChart, RepetitionStrip } from "@/components/chart/HistogramChart";
import { LazySweepChart } from "@/components/chart/LazySweepChart";
import { withFamilyStyles } from "@/components/chart/lines";
import { LATENCY, measureOf, RATE } from "@/components/chart/measure";
import { PercentileChart, percentileOf } from "@/components/chart/PercentileChart";
import type { Curve } from "@/components/chart/plottables/Curves";
import { TooltipBox } from "@/components/chart/Tooltip";
import { optionsOf, Segmented } from "@/components/ui/controls";
import { shortSha } from "@/lib/commits";
import { isImported, timeName } from "@/lib/imports";
import { prunedNote } from "@/lib/pruned";
import { percentileName } from "@/lib/statistics";
import { counted, formatCount, formatOf, formatValue, upperFirst, type Valued } from "@/lib/units";
import { percentileCurve, type SeriesPoint, samplesText, shownPercentiles, sizesOf, sweepOf } from "./data";
import { PERCENTILES, type Percentile } from "./search";
import { histogramTable, percentilesTable, sizesTable } from "./tables";

type DistributionProps = {
  series: SeriesSummary;
  pinned: SeriesPoint;
  /** `null` while loading or after an error. */
  detail: PointDetail | null;
} & Pending;

const MARKED = ["p50", "p90", "p99", "p999"];

/** The pinned point's distribution, and below it each repetition on the same axis. */
export const Distribution = memo(function Distribution({
  series,
  pinned,
  detail,
  error,
  onRetry,
}: DistributionProps) {
  const drawn = detail !== null && detail.histogram.length > 0 ? detail : null;
  return (
    <ChartFrame
      name="histogram"
      title={`Distribution at ${shortSha(pinned.point.commit_sha)}`}
      summary={detail === null ? "" : summaryOfDistribution(detail, series)}
      table={drawn === null ? null : histogramTable(series, drawn)}
      pending={detail === null ? { error, onRetry } : undefined}
    >
      {drawn !== null && <Histogram series={series} detail={drawn} />}
      {drawn === null && detail !== null && <p>{prunedNote(detail.pruned) ?? "No stored distribution."}</p>}
    </ChartFrame>
  );
});

function Histogram({ series, detail }: { series: SeriesSummary; detail: PointDetail }) {
  const { point, histogram, repetitions, pruned } = detail;
  return (
    <>
      <HistogramChart
        name="Histogram of latencies, log scale"
        bins={histogram}
        measure={measureOf(series.case)}
        total={point.count}
        markers={shownPercentiles(series.case, point.count)
          .filter(({ key }) => MARKED.includes(key))
          .map(({ key, label }) => ({
            label: `${label} ${formatValue(point.latency_ns[key], series.case)}`,
            x: Math.max(1, point.latency_ns[key]),
          }))}
      />
      {repetitions.length > 0 && (
        <RepetitionStrip
          name="Min, median, p99 and max of each repetition"
          bins={histogram}
          measure={measureOf(series.case)}
          spans={repetitions.map((entry) => ({ ...entry, disturbed: entry.disturbed.length > 0 }))}
        />
      )}
      <p className="section-note">{repetitions.length > 0 ? stripNote(point) : prunedNote(pruned)}</p>
    </>
  );
}

function stripNote(point: Point): string {
  const open = point.disturbed_count > 0 ? "; open dot: disturbed" : "";
  return `Rows: repetitions, min to max; dot: median; tick: p99${open}.`;
}

function summaryOfDistribution({ point }: PointDetail, series: SeriesSummary): string {
  const format = formatOf(series.case);
  const { q1, q3 } = point.repetition_p50_ns;
  const spread =
    point.repetition_count > 1 ? ` Repetition medians, middle half: ${format(q1)} to ${format(q3)}.` : "";
  const what = isImported(series)
    ? samplesText(point)
    : `${counted(point.count, "operation")}, ${counted(point.repetition_count, "process restart")}`;
  return `${what}.${spread}`;
}

type PercentilesProps = { series: SeriesSummary; detail: PointDetail; before: PointDetail | null };

/** Percentiles up to the slowest operation, with those of the previous commit. */
export const Percentiles = memo(function Percentiles({ series, detail, before }: PercentilesProps) {
  if (detail.histogram.length === 0) return null;
  const { commit_ordinal, count } = detail.point;
  const pinned = curveOf(detail, { stroke: "var(--data-1)", ink: "var(--data-1-ink)", dash: "", width: 2 });
  const earlier =
    before === null || before.histogram.length === 0
      ? null
      : curveOf(before, { stroke: "var(--muted)", ink: "var(--muted)", dash: "4 3", width: 1.25 });
  return (
    <ChartFrame
      name="percentiles"
      title={`Percentiles at #${commit_ordinal}`}
      summary={`n = ${formatCount(count)}${earlier === null ? "" : `; dashed: #${before?.point.commit_ordinal}, the previous commit`}.`}
      table={percentilesTable(series, pinned.points)}
    >
      <PercentileChart
        name="percentiles"
        label={`${upperFirst(timeName(series.case) ?? "latency")} by percentile`}
        curves={earlier === null ? [pinned] : [pinned, earlier]}
        measure={measureOf(series.case)}
        tooltip={(x) => (
          <TooltipBox
            heading={percentileOf(x)}
            rows={[
              { name: `#${commit_ordinal}`, value: valueAt(pinned, x, series.case) },
              ...(earlier === null ? [] : [{ name: earlier.label, value: valueAt(earlier, x, series.case) }]),
            ]}
          />
        )}
      />
    </ChartFrame>
  );
});

function curveOf({ point, histogram }: PointDetail, look: Pick<Curve, "stroke" | "ink" | "dash" | "width">) {
  const label = `#${point.commit_ordinal}`;
  return { key: label, label, ...look, points: percentileCurve(histogram) };
}

function valueAt({ points }: Curve, x: number, kase: Valued): string {
  const value = points.findLast(([px]) => px <= x)?.[1];
  return value === undefined ? "" : formatValue(value, kase);
}

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
export const Sizes = memo(function Sizes({ series, pinned, shown, run, error, onRetry, onShow }: SizesProps) {
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
      summary={
        sweep === null
          ? ""
          : `${counted(sweep.lines.length, "transport")} of this run.${leftOutText(sweep.leftOut, lossy)}`
      }
      table={lines === null ? null : sizesTable(series, lines, shown)}
      controls={
        shown === "throughput" ? null : (
          <Segmented
            label="Percentile"
            options={optionsOf(PERCENTILES, percentileName)}
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
