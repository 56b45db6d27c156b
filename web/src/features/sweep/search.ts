/** The state of the pages in the URL. */
import type { Place } from "@/api/place";
import type { SweepAsked } from "@/api/queries";
import type { Asked } from "@/lib/choices";
import { commitSha, oneOf, present, searchOf, slug, slugs, slugsOf, whole } from "@/lib/search";
import { FIGURES } from "@/lib/sweep";

/** The scenarios with many members: the varied parameter and their names. */
export const TOPOLOGIES = [
  { scenario: "route", over: "peers", title: "Route: one sender to N receivers", noun: "receivers" },
  { scenario: "channel-1-n", over: "peers", title: "Channel: one sender to N receivers", noun: "receivers" },
  { scenario: "channel-n-1", over: "senders", title: "Channel: N senders to one receiver", noun: "senders" },
  {
    scenario: "channel-n-n",
    over: "peers",
    title: "Channel: N senders to N receivers",
    noun: "senders and receivers",
  },
] as const;

/** The unit that a time refers to. */
export const TIMES = ["message", "operation"] as const;
export type TimeOf = (typeof TIMES)[number];

export const PANELS = ["one", "transport", "size"] as const;
export type Panels = (typeof PANELS)[number];

export const parseSweepSearch = searchOf({
  machine: slug,
  scenario: slug,
  mode: slug,
  placement: slug,
  /** The load, as `loadsOf` names it. */
  load: slug,
  show: oneOf(FIGURES),
  commit: commitSha,
  /** One chart, or small panels. */
  panels: oneOf(PANELS),
  /** Keys of hidden lines, separated by dots. */
  hidden: slugs,
  /** The message size of the time budgets. */
  budget: whole,
  /** Keys of the two compared lines, separated by a dot. */
  pair: (value) => (slugsOf(slugs(value)).length === 2 ? slugs(value) : undefined),
});
export type SweepSearch = ReturnType<typeof parseSweepSearch>;

export const parseTopologySearch = searchOf({
  machine: slug,
  mode: slug,
  placement: slug,
  load: slug,
  time: oneOf(TIMES),
  hidden: slugs,
});
export type TopologySearch = ReturnType<typeof parseTopologySearch>;

export function askedSweep(
  { machine, scenario, mode, placement }: Place,
  { commit }: SweepSearch,
): SweepAsked {
  return { over: "message_bytes", machine, scenario, mode, placement, ...present({ commit }) };
}

/** The requested machine, scenario, mode and placement. */
export function placeAsked({ machine, scenario, mode, placement }: SweepSearch): Asked {
  return present({ machine, scenario, mode, placement });
}

export const TOPOLOGY_SCENARIOS = TOPOLOGIES.map(({ scenario }): string => scenario);

export function askedTopologies({ machine, mode, placement }: Place): SweepAsked[] {
  return TOPOLOGIES.map(({ scenario, over }) => ({ over, machine, scenario, mode, placement }));
}
