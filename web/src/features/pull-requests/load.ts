/** Addresses and requests of the pages of pull requests. */
import type { QueryClient } from "@tanstack/react-query";
import { compareQuery, pullRequestQuery, runsQuery, sessionQuery } from "@/api/queries";
import type { PullRequestSummary } from "@/api/types";
import { pairsAsked } from "@/components/comparison/search";
import { cursor, searchOf } from "@/lib/search";
import { isSite } from "@/lib/site";

/** The number of a pull request in an address; null if invalid. */
export function numberOf(text: string): number | null {
  const number = Number(text);
  return /^\d{1,15}$/.test(text) && number > 0 ? number : null;
}

/** The comparison of the newest measured commit with the merge base; disabled if there is nothing to compare. */
export function comparisonQuery(project: string, { merge_base, head }: PullRequestSummary) {
  const sides = { base: merge_base?.sha ?? "", head: head.sha };
  return {
    ...compareQuery(project, { ...sides, ...pairsAsked({}) }),
    enabled: merge_base !== null && merge_base.sha !== head.sha,
  };
}

export function runsAsked(pull_request: number, after: string | undefined) {
  return { pull_request, ...(after !== undefined && { after }) };
}

/** Loads the data of the page. Throws if the pull request does not exist. */
export async function loadPullRequest(
  queryClient: QueryClient,
  project: string,
  pullRequest: number,
  { after }: PullRequestsSearch,
) {
  const [summary] = await Promise.all([
    queryClient.ensureQueryData(pullRequestQuery(project, pullRequest)),
    queryClient.ensureQueryData(runsQuery(project, runsAsked(pullRequest, after))),
    // Actions depend on it.
    !isSite() && queryClient.prefetchQuery(sessionQuery),
  ]);
  const { enabled, ...comparison } = comparisonQuery(project, summary);
  if (enabled) await queryClient.prefetchQuery(comparison);
}

/** The page of a list: of pull requests, or of the runs of one. */
export const parsePullRequestsSearch = searchOf({ after: cursor });
export type PullRequestsSearch = ReturnType<typeof parsePullRequestsSearch>;
