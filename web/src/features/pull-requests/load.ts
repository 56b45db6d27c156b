/** What a pull request's page asks for before it is shown. */
import type { QueryClient } from "@tanstack/react-query";
import { compareQuery, errorRatesQuery, machinesQuery, pullRequestQuery, runsQuery } from "@/api/queries";
import { pairsAsked } from "@/components/comparison/search";
import { runsAsked, sidesOf } from "./data";
import type { PullRequestSearch } from "./search";

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
