/** The pinned point's distribution, and below it each repetition on the same axis. */
import { memo } from "react";
import type { PointDetail, SeriesSummary } from "@/api/types";
import { ChartFrame } from "@/components/chart/ChartFrame";
import { HistogramChart } from "@/components/chart/HistogramChart";
import { RepetitionStrip } from "@/components/chart/RepetitionStrip";
import { shortSha } from "@/lib/commits";
import { isImported } from "@/lib/imports";
import { prunedNote } from "@/lib/pruned";
import { counted, formatNs } from "@/lib/units";
import { type SeriesPoint, samplesText, toldPercentiles } from "../data";
import { histogramTable } from "../tables";

type Props = {
  series: SeriesSummary;
  pinned: SeriesPoint;
  /** `null` while it is on its way, or when it failed. */
  detail: PointDetail | null;
  error: Error | null;
  onRetry: () => void;
};

const MARKED = ["p50", "p90", "p99", "p999"];

export const Distribution = memo(function Distribution({ series, pinned, detail, error, onRetry }: Props) {
  return (
    <ChartFrame
      name="histogram"
      title={`Distribution at ${shortSha(pinned.point.commit_sha)}`}
      summary={detail === null ? "" : summaryOf(detail, isImported(series))}
      table={detail === null || detail.histogram.length === 0 ? null : histogramTable(series, detail)}
      {...(detail === null ? { pending: { error, onRetry } } : {})}
    >
      {detail !== null && detail.histogram.length === 0 && (
        <p>{prunedNote(detail.pruned) ?? "No distribution is kept of this point."}</p>
      )}
      {detail !== null && detail.histogram.length > 0 && (
        <>
          <HistogramChart
            name="Histogram of latencies on a logarithmic axis"
            bins={detail.histogram}
            total={detail.point.count}
            markers={toldPercentiles(series.case, detail.point.count)
              .filter(({ key }) => MARKED.includes(key))
              .map(({ key, label }) => ({
                label: `${label} ${formatNs(detail.point.latency_ns[key])}`,
                x: Math.max(1, detail.point.latency_ns[key]),
              }))}
          />
          {detail.repetitions.length > 0 && (
            <RepetitionStrip
              name="Median, p99 and extremes of each repetition, on the same axis"
              bins={detail.histogram}
              spans={detail.repetitions.map((repetition) => ({
                ...repetition,
                disturbed: repetition.disturbed.length > 0,
              }))}
            />
          )}
          <p className="section-note">
            {detail.repetitions.length > 0
              ? stripNote(detail, isImported(series))
              : prunedNote(detail.pruned)}
          </p>
        </>
      )}
    </ChartFrame>
  );
});

function stripNote({ point }: PointDetail, isFromFile: boolean): string {
  const what = isFromFile ? "sample" : "operation";
  const open = point.disturbed_count > 0 ? "; open dots were disturbed" : "";
  return `Below the bars, one row a repetition: a line from its fastest to its slowest ${what}, a dot at its median, a tick at its p99${open}.`;
}

function summaryOf({ point }: PointDetail, isFromFile: boolean): string {
  const { q1, q3 } = point.repetition_p50_ns;
  const spread =
    point.repetition_count > 1
      ? ` The medians of the middle half of the repetitions lie between ${formatNs(q1)} and ${formatNs(q3)}.`
      : "";
  const what = isFromFile
    ? samplesText(point)
    : `${counted(point.count, "operation")} in ${counted(point.repetition_count, "fresh start")} of the peers`;
  return `${what}.${spread}`;
}
