/** Texts for pull requests. Pure. */
import type { Comparison, PullRequestSummary } from "@/api/types";
import { headlineOf } from "@/components/comparison/headline";
import { shortSha } from "@/lib/commits";

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
