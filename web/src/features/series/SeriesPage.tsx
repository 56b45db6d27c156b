/** One series: how it went over commits, and one pinned point in full. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { seriesQuery } from "@/api/queries";
import { CrosshairScope } from "@/components/chart/crosshair";
import { PageSkeleton } from "@/components/ui/Skeleton";
import { headlineName } from "@/lib/cases";
import { isImported, toolName } from "@/lib/imports";
import { useTitle } from "@/lib/useTitle";
import { MeasuredSeries } from "./components/MeasuredSeries";
import { SeriesBadge } from "./components/SeriesBadge";

// What other tools stated without samples is rare, and its page another one.
const StatedSeries = lazy(async () => ({
  default: (await import("./components/StatedSeries")).StatedSeries,
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
