/** Requests and texts for pull requests. Pure. */
import type { QueryClient } from "@tanstack/react-query";
import { compareQuery, errorRatesQuery, machinesQuery, pullRequestQuery, runsQuery } from "@/api/queries";
import type { Comparison, PullRequestSummary } from "@/api/types";
import { headlineOf } from "@/components/comparison/headline";
import { pairsAsked, parseComparisonSearch } from "@/components/comparison/search";
import { shortSha } from "@/lib/commits";
import { cursor, type RawSearch, searchOf } from "@/lib/search";

/** The number of a pull request in an address; null if invalid. */
export function numberOf(text: string): number | null {
  const number = Number(text);
  return /^\d{1,15}$/.test(text) && number > 0 ? number : null;
}

/** The compared commits: merge base and newest measured commit; null without a merge base. */
export function sidesOf({ merge_base, head }: PullRequestSummary, machine: string | undefined) {
  if (merge_base === null || merge_base.sha === head.sha) return null;
  return { base: merge_base.sha, head: head.sha, ...(machine !== undefined && { machine }) };
}

export function runsAsked(pull_request: number, after: string | undefined) {
  return { pull_request, ...(after !== undefined && { after }) };
}

export function titleOf(summary: PullRequestSummary, comparison: Comparison | undefined): string {
  const { pull_request, merge_base, head } = summary;
  const name = `Pull request ${pull_request}`;
  if (merge_base === null) {
    return `${name}: not comparable, no measured merge base`;
  }
  if (merge_base.sha === head.sha) {
    return `${name}: no new commits, ${shortSha(head.sha)} is on the main line`;
  }
  if (comparison === undefined) return name;
  if (isBaseMissing(comparison)) {
    return `${name}: not comparable, merge base ${shortSha(merge_base.sha)} not measured`;
  }
  return `${name}: ${headlineOf(comparison)}`;
}

/** Whether the merge base was not measured. */
export function isBaseMissing({ base }: Comparison): boolean {
  return base.case_count === 0;
}

/** Loads the data of the page. Throws if the pull request does not exist. */
export async function loadPullRequest(
  queryClient: QueryClient,
  project: string,
  pullRequest: number,
  { machine, after }: PullRequestSearch,
) {
  const [summary] = await Promise.all([
    queryClient.ensureQueryData(pullRequestQuery(project, pullRequest)),
    queryClient.ensureQueryData(runsQuery(project, runsAsked(pullRequest, after))),
    queryClient.prefetchQuery(errorRatesQuery(project)),
    queryClient.prefetchQuery(machinesQuery(project)),
  ]);
  const sides = sidesOf(summary, machine);
  if (sides !== null) await queryClient.prefetchQuery(compareQuery(project, { ...sides, ...pairsAsked({}) }));
}

export const parsePullRequestsSearch = searchOf({
  after: cursor,
});
export type PullRequestsSearch = ReturnType<typeof parsePullRequestsSearch>;

/** Filters of the comparison, and the page of runs. */
export const parsePullRequestSearch = (raw: RawSearch) => ({
  ...parsePullRequestsSearch(raw),
  ...parseComparisonSearch(raw),
});
export type PullRequestSearch = ReturnType<typeof parsePullRequestSearch>;
