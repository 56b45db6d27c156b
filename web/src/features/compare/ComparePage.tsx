/** Compares two commits or runs: the worst change first, then every case. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { compareQuery } from "@/api/queries";
import { ComparisonLede, ComparisonSections } from "@/components/comparison/ComparisonSections";
import { headlineOf } from "@/components/comparison/headline";
import { unbrokenShares } from "@/components/comparison/pairs";
import { pairsAsked } from "@/components/comparison/search";
import { ErrorState, Skeleton } from "@/components/ui/states";
import { CommandLine } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { resultArguments } from "@/lib/site";
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
      {search.base === undefined && search.head === undefined && <TooFewCommits />}
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

/** Shown until two commits are measured: the address without sides is the comparison of the newest two. */
function TooFewCommits() {
  return (
    <div className="state">
      <p>The main line has fewer than two measured commits. Check out another and run:</p>
      <CommandLine command={`roundtrip run ${resultArguments()}`} />
    </div>
  );
}
