/** One series: its trend over commits, and one pinned point in full. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { seriesQuery } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { BadgeCode } from "@/components/BadgeCode";
import { CrosshairScope } from "@/components/chart/crosshair";
import { optionsOf, Segmented } from "@/components/ui/controls";
import { PageSkeleton, Section } from "@/components/ui/states";
import { seriesBadge } from "@/lib/badges";
import { headlineName } from "@/lib/cases";
import { useTitle } from "@/lib/hooks";
import { isImported, toolName } from "@/lib/imports";
import { isSite } from "@/lib/site";
import { MeasuredSeries } from "./MeasuredSeries";

// Series without samples are rare, so their page is loaded on demand.
const StatedSeries = lazy(async () => ({
  default: (await import("./StatedSeries")).StatedSeries,
}));

const route = getRouteApi("/$project/series/$seriesId");

export function SeriesPage() {
  const { seriesId } = route.useParams();
  const { data: series } = useSuspenseQuery(seriesQuery(Number(seriesId)));
  const { statistic } = series.methodology;
  useTitle(
    `${isImported(series) ? toolName(series.transport) : series.transport.slug}: ${headlineName(series.case)}`,
  );
  return (
    <CrosshairScope key={seriesId}>
      {statistic == null ? (
        <MeasuredSeries series={series} />
      ) : (
        <Suspense fallback={<PageSkeleton />}>
          <StatedSeries series={series} statistic={statistic} />
        </Suspense>
      )}
      <SeriesBadge series={series} />
    </CrosshairScope>
  );
}

const QUANTILES = optionsOf(["p50", "p99"] as const);

function SeriesBadge({ series }: { series: SeriesSummary }) {
  const [quantile, setQuantile] = useState<"p50" | "p99">("p50");
  const { project, series_id, transport } = series;
  const name = `${transport.slug}: ${headlineName(series.case)}`;
  return (
    <Section
      title="Badge"
      tools={
        !isSite() && (
          <Segmented label="Badge percentile" options={QUANTILES} value={quantile} onChange={setQuantile} />
        )
      }
    >
      <BadgeCode badge={seriesBadge({ project, series_id, name }, quantile)} />
    </Section>
  );
}
