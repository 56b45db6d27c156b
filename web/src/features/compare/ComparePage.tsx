/** Two commits or runs beside each other: the worst change first, then every case with what can be said of it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { compareQuery, runsQuery } from "@/api/queries";
import { ComparisonLede } from "@/components/comparison/ComparisonLede";
import { ComparisonSections } from "@/components/comparison/ComparisonSections";
import { headlineOf } from "@/components/comparison/headline";
import { pairsAsked } from "@/components/comparison/search";
import { unbrokenShares } from "@/components/comparison/shares";
import { ErrorState } from "@/components/ui/ErrorState";
import { Skeleton } from "@/components/ui/Skeleton";
import { shortSha } from "@/lib/commits";
import { toCompare } from "@/lib/paths";
import { useTitle } from "@/lib/useTitle";
import { Sides, type SidesChange } from "./components/Sides";
import { Start } from "./components/Start";
import { sidesOf } from "./load";
import { parseCompareSearch } from "./search";
import { useSide } from "./useSide";

const route = getRouteApi("/$project/compare");

export function ComparePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const base = useSide(project, search.base);
  const head = useSide(project, search.head);
  const isAsked = base.name !== null && head.name !== null;
  const sides = sidesOf(base.name ?? "", head.name ?? "", search.machine);
  const comparison = useQuery({
    ...compareQuery(project, { ...sides, ...pairsAsked({}) }),
    enabled: isAsked,
  });
  const { data: runs } = useQuery({ ...runsQuery(project, {}), enabled: !isAsked });
  useTitle(titleOf(base.commit?.sha, head.commit?.sha));

  const go = (change: Record<string, unknown>, replace: boolean) =>
    navigate({
      ...toCompare(project),
      search: parseCompareSearch({ ...search, ...change }),
      replace,
      resetScroll: false,
    });
  const setSides = (change: SidesChange) => go({ rows: undefined, ...change }, false);
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
        {comparison.data === undefined ? (
          <p className="lede">
            Case by case and machine by machine: what got slower, what got faster, and what cannot be told.
          </p>
        ) : (
          <ComparisonLede project={project} comparison={comparison.data} />
        )}
      </header>
      <Sides project={project} search={search} base={base} head={head} onSides={setSides} />
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
          onSearch={(change) => go(change, true)}
        />
      )}
    </>
  );
}

function titleOf(base: string | undefined, head: string | undefined): string {
  return base === undefined || head === undefined
    ? "Compare two commits"
    : `${shortSha(base)} against ${shortSha(head)}`;
}
