/** Machine, scenario, mode and placement of a page. */
import { queryOptions } from "@tanstack/react-query";
import { type Asked, chosen, mostMeasured, placementsOf, scenariosOf, valuesOf } from "@/lib/choices";
import { facetsQuery, type SeriesAsked } from "./queries";

/** The selected values, and the available ones. */
export type Place = {
  machine: string;
  scenario: string;
  mode: string;
  placement: string;
  machines: string[];
  scenarios: string[];
  modes: string[];
  placements: string[];
};

/**
 * The requested place if it has results, else the default: round trips between two processes on one processor, on the
 * machine with the most series; `null` without results. `only` limits the scenarios.
 */
export const placeQuery = (project: string, asked: Asked, only?: string[]) =>
  queryOptions({
    queryKey: ["place", project, asked, only],
    queryFn: async ({ client }): Promise<Place | null> => {
      const facets = (query: SeriesAsked) => client.fetchQuery(facetsQuery(project, query));
      const within = (scenario: string) => ({ scenario: only?.join(",") ?? scenario });
      const all = await facets({});
      const possible = scenariosOf(all.scenario).filter((value) => only?.includes(value) ?? true);
      const scenario = chosen(possible, asked.scenario, "roundtrip");
      if (scenario === undefined) return null;
      const { machine: machineFacet } = await facets(within(scenario));
      const machines = valuesOf(machineFacet);
      const machine = chosen(machines, asked.machine, mostMeasured(machineFacet));
      if (machine === undefined) return null;
      const onMachine = await facets({ ...within(scenario), machine });
      const modes = valuesOf(onMachine.mode);
      const mode = chosen(modes, asked.mode, "2proc");
      if (mode === undefined) return null;
      const { placement: placementFacet } = await facets({ ...within(scenario), machine, mode });
      const placements = placementsOf(placementFacet);
      const placement = chosen(placements, asked.placement, "same-cpu", mostMeasured(placementFacet));
      if (placement === undefined) return null;
      const scenarios = scenariosOf(onMachine.scenario).filter((value) => only?.includes(value) ?? true);
      return { machine, scenario, mode, placement, machines, scenarios, modes, placements };
    },
  });
