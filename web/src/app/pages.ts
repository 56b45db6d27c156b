/** The pages of a project with their keys, grouped as in the header. */
import { groupBy } from "@/lib/collections";
import {
  toAdvisor,
  toCompare,
  toErrorRates,
  toExplore,
  toMachines,
  toMeasure,
  toOverview,
  toPullRequests,
  toQueue,
  toReference,
  toRegressions,
  toRuns,
  toSettings,
  toSizes,
  toSweep,
  toTopology,
} from "@/lib/paths";
import { isSite } from "@/lib/site";

/** `menu`: that of the header, `""` for none, `null` if the page is elsewhere. `g` and then the key opens the page. */
const PAGES = [
  { menu: "", to: toOverview, label: "Overview", key: "o" },
  { menu: "", to: toRegressions, label: "Regressions", key: "r" },
  { menu: "", to: toPullRequests, label: "Pull requests", key: "p" },
  { menu: "", to: toExplore, label: "Explore", key: "e" },
  { menu: "", to: toCompare, label: "Compare", key: "c" },
  { menu: "Choose", to: toSweep, label: "Size sweep", key: "w" },
  { menu: "Choose", to: toAdvisor, label: "Advisor", key: "a", on: "server" },
  { menu: "Choose", to: toTopology, label: "Topology", key: "t" },
  { menu: "Choose", to: toSizes, label: "Sizes", key: "z" },
  { menu: "Choose", to: toReference, label: "Reference", key: "f" },
  { menu: "Lab", to: toMachines, label: "Machines", key: "m" },
  { menu: "Lab", to: toQueue, label: "Queue", key: "q", on: "server" },
  { menu: "Lab", to: toRuns, label: "Runs", key: "u" },
  { menu: "Lab", to: toErrorRates, label: "Error rates", key: "x" },
  { menu: null, to: toSettings, label: "Settings", key: "s", on: "server" },
  { menu: null, to: toSettings, label: "Badges and feeds", key: "s", on: "site" },
  { menu: null, to: toMeasure, label: "New job", key: "n", on: "server" },
] as const;

export type ProjectPage = (typeof PAGES)[number];

/** The pages that exist here. */
export function allPages(): ProjectPage[] {
  const here = isSite() ? "site" : "server";
  return PAGES.filter((page) => !("on" in page) || page.on === here);
}

/** The pages in the header by menu. */
export function pageGroups() {
  return groupBy(
    allPages().filter(({ menu }) => menu !== null),
    ({ menu }) => menu,
  );
}

/** One page: the settings, or on a site its badges and feeds. */
export function settingsPages(): ProjectPage[] {
  return allPages().filter(({ to }) => to === toSettings);
}
