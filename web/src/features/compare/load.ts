/** Loads the two sides and the comparison. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { redirect } from "@tanstack/react-router";
import {
  commitQuery,
  compareQuery,
  errorRatesQuery,
  machinesQuery,
  projectQuery,
  runQuery,
  runsQuery,
} from "@/api/queries";
import type { CommitSummary } from "@/api/types";
import { pairsAsked } from "@/components/comparison/search";
import { toCompare } from "@/lib/paths";
import { newestTwo, revisionOf } from "./data";
import type { CompareSearch } from "./search";

export type Side = {
  /** The commit hash or run id that the server compares. */
  name: string;
  commit: CommitSummary;
  /** Whether it is one run, not all runs of the commit. */
  isRun: boolean;
};

/** The side named in the URL. */
export const sideQuery = (project: string, text = "") =>
  queryOptions({
    queryKey: ["side", project, text],
    queryFn: async ({ client }): Promise<Side> => {
      const revision = revisionOf(text);
      switch (revision.kind) {
        case "run": {
          const { run } = await client.fetchQuery(runQuery(revision.runId));
          return { name: revision.runId, commit: run.commit, isRun: true };
        }
        case "commit": {
          const { commit } = await client.fetchQuery(commitQuery(project, revision.name));
          return { name: commit.sha, commit, isRun: false };
        }
        case "none":
          throw new Error(
            `“${text}” is not a commit or run. Expected 7 or more digits of a hash, or a run id.`,
          );
      }
    },
  });

/**
 * Loads everything before the page is shown. The page shows errors. Without sides, it redirects to the newest two commits
 * of the default branch.
 */
export async function loadCompare(queryClient: QueryClient, project: string, search: CompareSearch) {
  const isAsked = search.base !== undefined || search.head !== undefined;
  if (!isAsked) {
    const [{ runs }, { default_branch }] = await Promise.all([
      queryClient.ensureQueryData(runsQuery(project, {})),
      queryClient.ensureQueryData(projectQuery(project)),
    ]);
    const newest = newestTwo(runs, default_branch);
    if (newest === null) return;
    const sides = { base: newest.base.sha, head: newest.head.sha };
    throw redirect({ ...toCompare(project), search: { ...search, ...sides }, replace: true });
  }
  const side = (text: string | undefined) =>
    text === undefined ? null : queryClient.fetchQuery(sideQuery(project, text)).catch(() => null);
  const [base, head] = await Promise.all([
    side(search.base),
    side(search.head),
    queryClient.prefetchQuery(errorRatesQuery(project)),
    queryClient.prefetchQuery(machinesQuery(project)),
  ]);
  if (base !== null && head !== null) {
    const sides = sidesOf(base, head, search.machine);
    await queryClient.prefetchQuery(compareQuery(project, { ...sides, ...pairsAsked({}) }));
  }
}

export function sidesOf(base: Side | undefined, head: Side | undefined, machine: string | undefined) {
  return { base: base?.name ?? "", head: head?.name ?? "", ...(machine !== undefined && { machine }) };
}
