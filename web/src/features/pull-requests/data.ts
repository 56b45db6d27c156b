/** What is asked and said of a pull request. Pure. */
import type { QueryClient } from "@tanstack/react-query";
import { compareQuery, errorRatesQuery, machinesQuery, pullRequestQuery, runsQuery } from "@/api/queries";
import type { Comparison, PullRequestSummary } from "@/api/types";
import { headlineOf } from "@/components/comparison/headline";
import { pairsAsked, parseComparisonSearch } from "@/components/comparison/search";
import { lowerFirst } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { cursor, type RawSearch, searchOf } from "@/lib/search";

/** The number of a pull request in an address; null where it is none. */
export function numberOf(text: string): number | null {
  const number = Number(text);
  return /^\d{1,15}$/.test(text) && number > 0 ? number : null;
}

/** What is compared: where it left the main line, and its newest measured commit; null where that is not known. */
export function sidesOf({ merge_base, head }: PullRequestSummary, machine: string | undefined) {
  if (merge_base === null || merge_base.sha === head.sha) return null;
  return { base: merge_base.sha, head: head.sha, ...(machine !== undefined && { machine }) };
}

export function runsAsked(pull_request: number, after: string | undefined) {
  return { pull_request, ...(after !== undefined && { after }) };
}

/** The sentence that answers first. */
export function titleOf(summary: PullRequestSummary, comparison: Comparison | undefined): string {
  const { pull_request, merge_base, head } = summary;
  const name = `Pull request ${pull_request}`;
  if (merge_base === null) {
    return `${name} cannot be compared: where it left the main line is not known.`;
  }
  if (merge_base.sha === head.sha) {
    return `${name} has nothing of its own: ${shortSha(head.sha)} is on the main line.`;
  }
  if (comparison === undefined) return name;
  if (isBaseMissing(comparison)) {
    return `${name} cannot be compared: ${shortSha(merge_base.sha)}, where it left the main line, was not measured.`;
  }
  return `${name}: ${inSentence(headlineOf(comparison))}`;
}

/** Whether the merge base has not been measured, and the pull request has. */
export function isBaseMissing({ base }: Comparison): boolean {
  return base.case_count === 0;
}

/** Numbers and names begin as they are; words with a small letter. */
function inSentence(sentence: string): string {
  return /^(None|No|Nothing|The|Times|Whether|Messages|Writes)\b/.test(sentence)
    ? lowerFirst(sentence)
    : sentence;
}

/** Asks for all of it. What cannot be compared says so on the page; what does not exist has none. */
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

/** Which rows of the comparison are shown, and which part of the runs. */
export const parsePullRequestSearch = (raw: RawSearch) => ({
  ...parsePullRequestsSearch(raw),
  ...parseComparisonSearch(raw),
});
export type PullRequestSearch = ReturnType<typeof parsePullRequestSearch>;
