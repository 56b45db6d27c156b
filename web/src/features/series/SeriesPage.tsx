/** One series: how it went over commits, and one pinned point in full. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { seriesQuery } from "@/api/queries";
import { CrosshairScope } from "@/components/chart/crosshair";
import { headlineName } from "@/lib/cases";
import { isImported, toolName } from "@/lib/imports";
import { useTitle } from "@/lib/useTitle";
import { MeasuredSeries } from "./components/MeasuredSeries";
import { StatedSeries } from "./components/StatedSeries";

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
        <StatedSeries series={series} statistic={statistic} />
      )}
    </CrosshairScope>
  );
}
