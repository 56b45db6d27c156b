/** One series: its trend over commits, and one pinned point in full. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { seriesQuery } from "@/api/queries";
import { CrosshairScope } from "@/components/chart/crosshair";
import { PageSkeleton } from "@/components/ui/states";
import { headlineName } from "@/lib/cases";
import { useTitle } from "@/lib/hooks";
import { isImported, toolName } from "@/lib/imports";
import { MeasuredSeries } from "./MeasuredSeries";

// Series without samples are rare, so their page is loaded on demand.
const StatedSeries = lazy(async () => ({
  default: (await import("./StatedSeries")).StatedSeries,
}));

// The last section of the page.
const SeriesBadge = lazy(async () => ({
  default: (await import("./sections")).SeriesBadge,
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
      <Suspense fallback={null}>
        <SeriesBadge series={series} />
      </Suspense>
    </CrosshairScope>
  );
}
