/** What the pages keep in the URL. */
import type { Place } from "@/api/place";
import type { SweepAsked } from "@/api/queries";
import type { Asked } from "@/lib/choices";
import { commitSha, oneOf, type Present, present, type RawSearch, slug, slugs, slugsOf } from "@/lib/search";
import { FIGURES, type Figure } from "@/lib/sweep";
import { TIMES, type TimeOf, TOPOLOGIES } from "./topology";

/** The size sweep's state; what is absent takes its usual value. */
export type SweepSearch = Present<{
  machine: string | undefined;
  scenario: string | undefined;
  mode: string | undefined;
  placement: string | undefined;
  /** What was asked of all lines alike, as `loadsOf` names it. */
  load: string | undefined;
  show: Figure | undefined;
  commit: string | undefined;
  /** Keys of the lines that are not drawn, with dots between. */
  hidden: string | undefined;
  /** Keys of the two lines whose crossings are shown, with a dot between. */
  pair: string | undefined;
}>;

/** The topology page's state. */
export type TopologySearch = Present<{
  machine: string | undefined;
  mode: string | undefined;
  placement: string | undefined;
  load: string | undefined;
  time: TimeOf | undefined;
  hidden: string | undefined;
}>;

export function parseSweepSearch(raw: RawSearch): SweepSearch {
  return present({
    machine: slug(raw.machine),
    scenario: slug(raw.scenario),
    mode: slug(raw.mode),
    placement: slug(raw.placement),
    load: slug(raw.load),
    show: oneOf(raw.show, FIGURES),
    commit: commitSha(raw.commit),
    hidden: slugs(raw.hidden),
    pair: slugsOf(slugs(raw.pair)).length === 2 ? slugs(raw.pair) : undefined,
  });
}

export function parseTopologySearch(raw: RawSearch): TopologySearch {
  return present({
    machine: slug(raw.machine),
    mode: slug(raw.mode),
    placement: slug(raw.placement),
    load: slug(raw.load),
    time: oneOf(raw.time, TIMES),
    hidden: slugs(raw.hidden),
  });
}

/** The sweep over sizes that a page is about. */
export function askedSweep(
  { machine, scenario, mode, placement }: Place,
  { commit }: SweepSearch,
): SweepAsked {
  return { over: "message_bytes", machine, scenario, mode, placement, ...present({ commit }) };
}

/** Where a page is asked to be about; nothing else of its address changes that. */
export function placeAsked({ machine, scenario, mode, placement }: SweepSearch): Asked {
  return present({ machine, scenario, mode, placement });
}

/** The scenarios of the topology page. */
export const TOPOLOGY_SCENARIOS = TOPOLOGIES.map(({ scenario }): string => scenario);

/** The sweeps that the topology page is about. */
export function askedTopologies({ machine, mode, placement }: Place): SweepAsked[] {
  return TOPOLOGIES.map(({ scenario, over }) => ({ over, machine, scenario, mode, placement }));
}
