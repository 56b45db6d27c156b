/** The data of a regression's page. */
import type { QueryClient } from "@tanstack/react-query";
import { regressionQuery, regressionsQuery, seriesQuery, sessionQuery } from "@/api/queries";
import { askedFor, clearest } from "@/lib/regressions";
import type { InboxSearch } from "./search";

/** Loads the regression and its most changed series, whose name is at the top. If that fails, the page shows its number. */
export async function loadRegression(queryClient: QueryClient, project: string, id: number): Promise<void> {
  const [{ regression, change_points }] = await Promise.all([
    queryClient.ensureQueryData(regressionQuery(project, id)),
    queryClient.ensureQueryData(sessionQuery),
  ]);
  const [worst] = clearest(change_points, regression.direction);
  if (worst !== undefined) await queryClient.prefetchQuery(seriesQuery(worst.series_id));
}

/** Loads the list and what the preview of its first row shows. */
export async function loadInbox(
  queryClient: QueryClient,
  project: string,
  search: InboxSearch,
): Promise<void> {
  const [{ regressions }] = await Promise.all([
    queryClient.ensureQueryData(regressionsQuery(project, askedFor(search))),
    queryClient.ensureQueryData(sessionQuery),
  ]);
  const [first] = regressions;
  // If it fails, the preview shows the error.
  if (first !== undefined) await loadRegression(queryClient, project, first.regression_id).catch(() => {});
}
