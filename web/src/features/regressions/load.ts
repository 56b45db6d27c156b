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
  const change = await largestChange(queryClient, project, id);
  if (change !== undefined) await queryClient.prefetchQuery(seriesQuery(change.series_id));
}

/** Also loads the distributions before and after. Their height moves the sections below. */
export async function loadRegressionPage(
  queryClient: QueryClient,
  project: string,
  id: number,
): Promise<void> {
  const change = await largestChange(queryClient, project, id);
  if (change === undefined) return;
  const { series_id, after_commit_ordinal, commit_ordinal } = change;
  const loadSide = async (ordinal: number) => {
    const points = pointsAtQuery(series_id, ordinal);
    await queryClient.prefetchQuery(points);
    const run = runAt(queryClient.getQueryData(points.queryKey)?.series[0]?.points ?? []);
    if (run !== null) await queryClient.prefetchQuery(pointDetailQuery(run, series_id));
  };
  await Promise.all([
    queryClient.prefetchQuery(seriesQuery(series_id)),
    loadSide(after_commit_ordinal),
    loadSide(commit_ordinal),
  ]);
}

async function largestChange(queryClient: QueryClient, project: string, id: number) {
  const [{ regression, change_points }] = await Promise.all([
    queryClient.ensureQueryData(regressionQuery(project, id)),
    queryClient.ensureQueryData(sessionQuery),
  ]);
  return clearest(change_points, regression.direction)[0];
}

/** Loads the list and the preview of its first row. */
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
