/** The sides of a comparison as the server knows them, and what the page asks for before it is shown. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import {
  commitQuery,
  compareQuery,
  errorRatesQuery,
  machinesQuery,
  runQuery,
  runsQuery,
} from "@/api/queries";
import type { CommitSummary } from "@/api/types";
import { pairsAsked } from "@/components/comparison/search";
import { revisionOf } from "./data";
import type { CompareSearch } from "./search";

export type Side = {
  /** What the server is asked to compare. */
  name: string;
  commit: CommitSummary;
  /** Whether one run is meant, not the commit. */
  isRun: boolean;
};

/** The side that the address names. */
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
            `“${text}” names no commit and no run: expected at least seven digits of an object name, or a run’s identity.`,
          );
      }
    },
  });

/** Asks for all of it, so that a link to a comparison opens with it. The page shows what failed. */
export async function loadCompare(queryClient: QueryClient, project: string, search: CompareSearch) {
  const isAsked = search.base !== undefined && search.head !== undefined;
  const side = (text: string | undefined) =>
    text === undefined ? null : queryClient.fetchQuery(sideQuery(project, text)).catch(() => null);
  const [base, head] = await Promise.all([
    side(search.base),
    side(search.head),
    queryClient.prefetchQuery(errorRatesQuery(project)),
    queryClient.prefetchQuery(machinesQuery(project)),
    ...(isAsked ? [] : [queryClient.prefetchQuery(runsQuery(project, {}))]),
  ]);
  if (base !== null && head !== null) {
    const sides = sidesOf(base, head, search.machine);
    await queryClient.prefetchQuery(compareQuery(project, { ...sides, ...pairsAsked({}) }));
  }
}

export function sidesOf(base: Side | undefined, head: Side | undefined, machine: string | undefined) {
  return { base: base?.name ?? "", head: head?.name ?? "", ...(machine !== undefined && { machine }) };
}
