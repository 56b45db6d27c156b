/** The pages of a project, the frequent ones first. */
import {
  toAdvisor,
  toCompare,
  toErrorRates,
  toExplore,
  toMachines,
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

export const OVERVIEW = { to: toOverview, label: "Overview" };

export const DAILY_PAGES = [
  { to: toExplore, label: "Explore" },
  { to: toCompare, label: "Compare" },
  { to: toRegressions, label: "Changes" },
  { to: toMachines, label: "Machines" },
];

const OTHER_PAGES = [
  { to: toQueue, label: "Queue", needsServer: true },
  { to: toSweep, label: "Size sweep" },
  { to: toTopology, label: "Topology" },
  { to: toSizes, label: "Sizes" },
  { to: toAdvisor, label: "Advisor", needsServer: true },
  { to: toReference, label: "Reference" },
  { to: toPullRequests, label: "Pull requests" },
  { to: toRuns, label: "Runs" },
  { to: toErrorRates, label: "Error rates" },
  { to: toSettings, label: "Settings", needsServer: true },
];

const BADGES = { to: toSettings, label: "Badges and feeds" };

/** The less frequent pages. */
export function otherPages() {
  return isSite() ? [...OTHER_PAGES.filter(({ needsServer }) => needsServer !== true), BADGES] : OTHER_PAGES;
}
