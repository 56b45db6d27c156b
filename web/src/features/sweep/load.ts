/** Loads the data of the topology page. */
import type { QueryClient } from "@tanstack/react-query";
import { placeQuery } from "@/api/place";
import { machinesQuery, runQuery, sweepQuery } from "@/api/queries";
import { askedTopologies, TOPOLOGY_SCENARIOS, type TopologySearch } from "./search";
import { chosenLoad, runsOf, together } from "./topology";

/** Includes the runs, on which the headline and the controls depend. */
export async function loadTopology(
  queryClient: QueryClient,
  project: string,
  { load: asked, ...placed }: TopologySearch,
): Promise<void> {
  const place = await queryClient.ensureQueryData(placeQuery(project, placed, TOPOLOGY_SCENARIOS));
  if (place === null) return;
  const [charts] = await Promise.all([
    Promise.all(askedTopologies(place).map((one) => queryClient.ensureQueryData(sweepQuery(project, one)))),
    queryClient.ensureQueryData(machinesQuery(project)),
  ]);
  const chart = together(charts);
  const { load } = chosenLoad(chart, asked);
  if (load === undefined) return;
  await Promise.all(runsOf(chart, load.key).map((runId) => queryClient.prefetchQuery(runQuery(runId))));
}
