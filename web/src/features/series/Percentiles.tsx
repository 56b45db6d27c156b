/** The pinned point's percentiles up to the slowest operation, above those of the commit before it. */
import { memo } from "react";
import type { PointDetail, SeriesSummary } from "@/api/types";
import { ChartFrame, type ChartTable } from "@/components/chart/ChartFrame";
import { PercentileChart, percentileOf } from "@/components/chart/PercentileChart";
import type { Curve } from "@/components/chart/plottables/Curves";
import { TooltipBox } from "@/components/chart/Tooltip";
import { counted, formatNs } from "@/lib/units";
import { percentileCurve } from "./data";

type Props = { series: SeriesSummary; detail: PointDetail; before: PointDetail | null };

export const Percentiles = memo(function Percentiles({ series, detail, before }: Props) {
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
      summary={`So many of ${counted(count, "operation")} took no longer than that; the axis stretches towards the slowest.${earlier === null ? "" : ` Dashed #${before?.point.commit_ordinal}, the commit measured before.`}`}
      table={tableOf(series, pinned)}
    >
      <PercentileChart
        name="percentiles"
        label="Latency by percentile, up to the slowest operation"
        curves={earlier === null ? [pinned] : [pinned, earlier]}
        tooltip={(x) => (
          <TooltipBox
            heading={percentileOf(x)}
            rows={[
              { name: `#${commit_ordinal}`, value: valueAt(pinned, x) },
              ...(earlier === null ? [] : [{ name: earlier.label, value: valueAt(earlier, x) }]),
            ]}
          />
        )}
      />
    </ChartFrame>
  );
});

function curveOf(
  { point, histogram }: PointDetail,
  look: Pick<Curve, "stroke" | "ink" | "dash" | "width">,
): Curve {
  const label = `#${point.commit_ordinal}`;
  return { key: label, label, ...look, points: percentileCurve(histogram) };
}

/** The time that a curve has reached at a percentile. */
function valueAt({ points }: Curve, x: number): string {
  const value = points.findLast(([px]) => px <= x)?.[1];
  return value === undefined ? "" : formatNs(value);
}

function tableOf(series: SeriesSummary, { points }: Curve): ChartTable {
  return {
    fileName: `series-${series.series_id}-percentiles`,
    columns: [
      { label: "percentile", csvName: "percentile", number: false },
      { label: "no longer than", csvName: "latency_ns", number: true },
    ],
    rows: () =>
      points.map(([x, ns]) => ({
        key: String(x),
        cells: [percentileOf(x), formatNs(ns)],
        csv: [100 * (1 - 1 / x), ns],
      })),
  };
}
