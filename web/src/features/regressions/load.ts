/** The data of a regression's page. */
import type { QueryClient } from "@tanstack/react-query";
import { regressionQuery, seriesQuery } from "@/api/queries";
import { clearest } from "@/lib/regressions";

/** Loads the regression and its most changed series, whose name is at the top. If that fails, the page shows its number. */
export async function loadRegression(queryClient: QueryClient, project: string, id: number): Promise<void> {
  const { regression, change_points } = await queryClient.ensureQueryData(regressionQuery(project, id));
  const [worst] = clearest(change_points, regression.direction);
  if (worst !== undefined) await queryClient.prefetchQuery(seriesQuery(worst.series_id));
}
