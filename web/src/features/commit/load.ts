/** Requests of the commit page. */
import type { QueryClient } from "@tanstack/react-query";
import {
  commitQuery,
  compareQuery,
  jobsQuery,
  notesQuery,
  regressionsQuery,
  sessionQuery,
  suspicionsQuery,
} from "@/api/queries";
import type { CommitDetail } from "@/api/types";
import { pairsAsked } from "@/components/comparison/search";
import { isSite } from "@/lib/site";

/** The comparison with the previous measured commit; disabled without one. */
export function comparisonQuery(project: string, { commit, previous, run_count }: CommitDetail) {
  const sides = { base: previous?.sha ?? "", head: commit.sha };
  return {
    ...compareQuery(project, { ...sides, ...pairsAsked({}) }),
    enabled: previous !== null && run_count > 0,
  };
}

/** The regressions that begin or end here, also muted ones. */
export const regressionsAt = (project: string, sha: string) =>
  regressionsQuery(project, { commit: sha, quiet: true });

export const jobsAt = (project: string, commit: string) => jobsQuery(project, { commit });

export const notesAt = (project: string, commit: string) => notesQuery(project, { commit });

export async function loadCommit(queryClient: QueryClient, project: string, name: string) {
  const detail = await queryClient.ensureQueryData(commitQuery(project, name));
  const { sha } = detail.commit;
  const { enabled, ...comparison } = comparisonQuery(project, detail);
  await Promise.all([
    enabled && queryClient.prefetchQuery(comparison),
    queryClient.prefetchQuery(regressionsAt(project, sha)),
    queryClient.prefetchQuery(suspicionsQuery(project, { state: "waiting", commit: sha })),
    ...(isSite()
      ? []
      : [
          queryClient.prefetchQuery(jobsAt(project, sha)),
          queryClient.prefetchQuery(notesAt(project, sha)),
          queryClient.prefetchQuery(sessionQuery),
        ]),
  ]);
}
