/** Loads the data of the advisor, with its first ranking: the page then opens complete. */
import type { QueryClient } from "@tanstack/react-query";
import { adviceQuery, facetsQuery, sizeProfilesQuery } from "@/api/queries";
import type { SeriesFacets } from "@/api/types";
import { chosen, mostMeasured, placementsOf, valuesOf } from "@/lib/choices";
import { present } from "@/lib/search";
import { type AdvisorSearch, adviceAsked, SCENARIO, type Start, startOf } from "./search";

/** The series to choose from, on one machine or on all. */
export const facetsAsked = (machine: string | undefined) => ({ scenario: SCENARIO, ...present({ machine }) });

/** The placements and modes of these series, the chosen ones, and the request. */
export function choicesOf(
  search: AdvisorSearch,
  start: Start,
  machine: string | undefined,
  there: SeriesFacets,
) {
  const placements = placementsOf(there.placement);
  const placement = chosen(placements, search.placement, "same-cpu", mostMeasured(there.placement));
  const modes = valuesOf(there.mode);
  const mode = chosen(modes, search.mode, "2proc");
  const { machine: _, ...rest } = search;
  const wanted = adviceAsked({ ...rest, ...present({ machine }) }, start, { placement, mode });
  return { placements, placement, modes, mode, wanted };
}

export async function loadAdvisor(
  client: QueryClient,
  project: string,
  search: AdvisorSearch,
): Promise<void> {
  const [{ size_profiles }, all] = await Promise.all([
    client.ensureQueryData(sizeProfilesQuery),
    client.ensureQueryData(facetsQuery(project, facetsAsked(undefined))),
  ]);
  const machine = valuesOf(all.machine).find((known) => known === search.machine);
  const there = await client.ensureQueryData(facetsQuery(project, facetsAsked(machine)));
  const { wanted } = choicesOf(search, startOf(search, size_profiles), machine, there);
  // The page shows a failure of this request in the place of the ranking.
  if (wanted !== null) await client.prefetchQuery(adviceQuery(project, wanted));
}
