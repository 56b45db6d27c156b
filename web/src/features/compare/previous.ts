/** Finds the measured commit before another one: not every commit that is known was measured. */
import type { QueryClient } from "@tanstack/react-query";
import { commitQuery, commitsQuery } from "@/api/queries";
import type { CommitSummary } from "@/api/types";

/** So many commits are looked at. */
const LOOKED_AT = 30;

/**
 * The nearest commit before another one that has a run.
 *
 * @throws when there is none nearby: its message says so.
 */
export async function previousMeasured(
  queryClient: QueryClient,
  project: string,
  { ordinal }: CommitSummary,
): Promise<CommitSummary> {
  const before = { to: Math.max(0, ordinal - 1), limit: LOOKED_AT };
  const { commits } = await queryClient.fetchQuery(commitsQuery(project, before));
  for (const { sha } of commits) {
    const { commit, run_count } = await queryClient.fetchQuery(commitQuery(project, sha));
    if (run_count > 0) return commit;
  }
  throw new Error(
    commits.length < LOOKED_AT
      ? "No commit before it was measured."
      : `None of the ${LOOKED_AT} commits before it was measured.`,
  );
}
