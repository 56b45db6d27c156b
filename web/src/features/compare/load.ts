/** What the page asks for before it is shown, so that a link to a comparison opens with it. */
import type { QueryClient } from "@tanstack/react-query";
import {
  commitQuery,
  compareQuery,
  errorRatesQuery,
  machinesQuery,
  runQuery,
  runsQuery,
} from "@/api/queries";
import { pairsAsked } from "@/components/comparison/search";
import { revisionOf } from "./data";
import type { CompareSearch } from "./search";

/** Asks for all of it; what fails says so on the page. */
export async function loadCompare(queryClient: QueryClient, project: string, search: CompareSearch) {
  const { base, head, machine } = search;
  const [baseName, headName] = await Promise.all([
    nameOf(queryClient, project, base),
    nameOf(queryClient, project, head),
    queryClient.prefetchQuery(errorRatesQuery(project)),
    queryClient.prefetchQuery(machinesQuery(project)),
    ...(base === undefined || head === undefined ? [queryClient.prefetchQuery(runsQuery(project, {}))] : []),
  ]);
  if (baseName !== null && headName !== null) {
    await queryClient.prefetchQuery(
      compareQuery(project, {
        ...sidesOf(baseName, headName, machine),
        ...pairsAsked({}),
      }),
    );
  }
}

/** What the server is asked to compare. */
export function sidesOf(base: string, head: string, machine: string | undefined) {
  return { base, head, ...(machine !== undefined && { machine }) };
}

/** What the server calls it; null where it is not known, or nothing. */
async function nameOf(queryClient: QueryClient, project: string, text: string | undefined) {
  const revision = revisionOf(text ?? "");
  if (revision.kind === "none") return null;
  if (revision.kind === "run") {
    await queryClient.prefetchQuery(runQuery(revision.runId));
    return revision.runId;
  }
  const query = commitQuery(project, revision.name);
  await queryClient.prefetchQuery(query);
  return queryClient.getQueryData(query.queryKey)?.commit.sha ?? null;
}
