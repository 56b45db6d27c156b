/** The data of a regression's page. */
import type { QueryClient } from "@tanstack/react-query";
import {
  pointDetailQuery,
  pointsAtQuery,
  regressionQuery,
  regressionsQuery,
  seriesQuery,
  sessionQuery,
} from "@/api/queries";
import { askedFor, clearest } from "@/lib/regressions";
import { runAt } from "./data";
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

/** Loads the regression with the distributions before and after, which determine the height above the affected series. */
export async function loadEvidence(queryClient: QueryClient, project: string, id: number): Promise<void> {
  const regression = queryClient.ensureQueryData(regressionQuery(project, id));
  const distributions = regression.then(async ({ regression: { direction }, change_points }) => {
    const [worst] = clearest(change_points, direction);
    if (worst === undefined) return;
    const { series_id, after_commit_ordinal, commit_ordinal } = worst;
    const loadSide = async (ordinal: number) => {
      const { series } = await queryClient.ensureQueryData(pointsAtQuery(series_id, ordinal));
      const run = runAt(series[0]?.points ?? []);
      if (run != null) await queryClient.prefetchQuery(pointDetailQuery(run, series_id));
    };
    // If one fails, the page shows the error.
    await Promise.allSettled([after_commit_ordinal, commit_ordinal].map(loadSide));
  });
  await Promise.all([loadRegression(queryClient, project, id), distributions]);
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
