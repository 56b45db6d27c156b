/** The pages of a project: those that are looked at every day, and the others behind one more step. */
import { Link } from "@tanstack/react-router";
import { Menu } from "@/components/ui/Menu";
import {
  toCompare,
  toErrorRates,
  toExplore,
  toMachines,
  toOverview,
  toPullRequests,
  toReference,
  toRegressions,
  toRuns,
  toSettings,
  toSizes,
  toSweep,
  toTopology,
} from "@/lib/paths";

const MORE = [
  { to: toSweep, label: "Size sweep" },
  { to: toTopology, label: "Topology" },
  { to: toSizes, label: "Sizes" },
  { to: toReference, label: "Reference" },
  { to: toPullRequests, label: "Pull requests" },
  { to: toRuns, label: "Runs" },
  { to: toErrorRates, label: "Error rates" },
  { to: toSettings, label: "Settings" },
];

export function PageLinks({ project }: { project: string }) {
  return (
    <>
      <Link {...toOverview(project)} activeOptions={{ exact: true, includeSearch: false }}>
        Overview
      </Link>
      {[
        { to: toExplore, label: "Explore" },
        { to: toCompare, label: "Compare" },
        { to: toRegressions, label: "Changes" },
        { to: toMachines, label: "Machines" },
      ].map(({ to, label }) => (
        <Link key={label} {...to(project)} activeOptions={{ includeSearch: false }}>
          {label}
        </Link>
      ))}
      <Menu label="More">
        {MORE.map(({ to, label }) => (
          <Link key={label} {...to(project)} activeOptions={{ includeSearch: false }}>
            {label}
          </Link>
        ))}
      </Menu>
    </>
  );
}
