/** Texts of the commit page. Pure. */
import type { CommitDetail, Comparison, Regression, RunSummary } from "@/api/types";
import { headlineOf } from "@/components/comparison/headline";
import { distinct } from "@/lib/collections";
import { counted } from "@/lib/units";

/** The verdict, or why there is none. */
export function titleOf(
  { run_count, previous, runs }: CommitDetail,
  comparison: Comparison | undefined,
): string {
  if (run_count === 0) return "Not measured";
  if (comparison !== undefined) return headlineOf(comparison);
  const machines = distinct(runs.map(({ machine }) => machine)).length;
  const measured = `Measured on ${counted(machines, "machine")}`;
  return previous === null ? `${measured}; no earlier commit to compare with` : measured;
}

/** The pull requests of its runs. */
export function pullRequestsOf(runs: readonly RunSummary[]): number[] {
  return distinct(runs.flatMap(({ pull_request }) => pull_request ?? []));
}

/** The one pull request for which all runs were made; `null` for a commit of the main line. */
export function onlyPullRequest(runs: readonly RunSummary[]): number | null {
  const [first, ...others] = distinct(runs.map(({ pull_request }) => pull_request));
  return first === undefined || others.length > 0 ? null : first;
}

/** The role of a commit in a regression. */
export function roleIn(
  { kind, direction, after_commit, until_commit, culprit_commit, fixed_by_commit }: Regression,
  sha: string,
): string {
  if (fixed_by_commit?.sha === sha) return "ends here";
  if (kind === "drift") return "drifts until here";
  // Others in the range may be the cause.
  if (culprit_commit === null && until_commit.ordinal - after_commit.ordinal > 1) return "first seen here";
  return direction === "regressed" ? "begins here" : "improves here";
}
