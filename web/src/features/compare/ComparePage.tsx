/** Compares two commits or runs: the worst change first, then every case. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { compareQuery, runsQuery } from "@/api/queries";
import type { RunSummary } from "@/api/types";
import { ComparisonLede, ComparisonSections } from "@/components/comparison/ComparisonSections";
import { headlineOf } from "@/components/comparison/headline";
import { unbrokenShares } from "@/components/comparison/pairs";
import { pairsAsked } from "@/components/comparison/search";
import { ErrorState, Skeleton } from "@/components/ui/states";
import { CommandLine, CommitName } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { toComparison } from "@/lib/paths";
import { resultArguments } from "@/lib/site";
import { newestTwo } from "./data";
import { sideQuery, sidesOf } from "./load";
import { Sides, type SidesChange } from "./Sides";
import type { CompareSearch } from "./search";

const route = getRouteApi("/$project/compare");

export function ComparePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const queryClient = useQueryClient();
  const base = useQuery({ ...sideQuery(project, search.base), enabled: search.base !== undefined });
  const head = useQuery({ ...sideQuery(project, search.head), enabled: search.head !== undefined });
  const isAsked = base.data !== undefined && head.data !== undefined;
  const sides = sidesOf(base.data, head.data, search.machine);
  const comparison = useQuery({
    ...compareQuery(project, { ...sides, ...pairsAsked({}) }),
    enabled: isAsked,
  });
  const { data: runs } = useQuery({ ...runsQuery(project, {}), enabled: !isAsked });
  useTitle(
    base.data === undefined || head.data === undefined
      ? "Compare two commits"
      : `${shortSha(base.data.commit.sha)} vs ${shortSha(head.data.commit.sha)}`,
  );

  const change = useSearchChange<CompareSearch>();
  const setSides = (sides: SidesChange) => change({ rows: undefined, ...sides }, { replace: false });
  const error = base.error ?? head.error ?? comparison.error;
  const isMissing = search.base === undefined || search.head === undefined;
  return (
    <>
      <header>
        <h1>
          {comparison.data === undefined
            ? "Compare two commits"
            : unbrokenShares(headlineOf(comparison.data))}
        </h1>
        {comparison.data !== undefined && <ComparisonLede project={project} comparison={comparison.data} />}
      </header>
      <Sides project={project} search={search} base={base.data} head={head.data} onSides={setSides} />
      {error !== null && (
        <ErrorState
          error={error}
          onRetry={() => queryClient.refetchQueries({ type: "active" })}
          heading="h2"
        />
      )}
      {error === null && isMissing && runs !== undefined && <Start project={project} runs={runs.runs} />}
      {error === null && !isMissing && comparison.data === undefined && (
        <div role="status" aria-label="Comparing" className="section">
          <Skeleton height="16rem" />
        </div>
      )}
      {comparison.data !== undefined && (
        <ComparisonSections
          project={project}
          sides={sides}
          comparison={comparison.data}
          search={search}
          onSearch={change}
        />
      )}
    </>
  );
}

/** Shown while no commits are selected: suggests the newest two measured commits. */
function Start({ project, runs }: { project: string; runs: RunSummary[] }) {
  const newest = newestTwo(runs);
  if (newest === null) {
    return (
      <div className="state">
        <p>
          {runs.length === 0
            ? "No measured commits. Check one out"
            : "Only one measured commit. Check out another"}{" "}
          and run:
        </p>
        <CommandLine command={`roundtrip run ${resultArguments()}`} />
      </div>
    );
  }
  const { base, head } = newest;
  return (
    <div className="state">
      <p>
        Newest: <CommitName commit={head} /> ‘{head.subject}’. Previous: <CommitName commit={base} /> ‘
        {base.subject}’.
      </p>
      <p>
        <Link {...toComparison(project, base.sha, head.sha)} className="button">
          Compare these two
        </Link>
      </p>
    </div>
  );
}
