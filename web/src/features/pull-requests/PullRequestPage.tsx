/** One pull request: what it changed against the commit at which it left the main line, and its runs. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { compareQuery, pullRequestQuery, runsQuery } from "@/api/queries";
import { ComparisonLede } from "@/components/comparison/ComparisonLede";
import { ComparisonSections } from "@/components/comparison/ComparisonSections";
import { pairsAsked } from "@/components/comparison/search";
import { unbrokenShares } from "@/components/comparison/shares";
import { RunsTable } from "@/components/RunsTable";
import { ErrorState } from "@/components/ui/ErrorState";
import { Section } from "@/components/ui/Section";
import { toComparison, toPullRequest, toPullRequests } from "@/lib/paths";
import { useTitle } from "@/lib/useTitle";
import { Caution } from "./components/Caution";
import { isBaseMissing, runsAsked, sidesOf, titleOf } from "./data";
import { parsePullRequestSearch } from "./search";

const route = getRouteApi("/$project/pull-requests/$pullRequest");

export function PullRequestPage() {
  const { project, pullRequest } = route.useParams();
  const number = Number(pullRequest);
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data: summary } = useSuspenseQuery(pullRequestQuery(project, number));
  const { data: page } = useSuspenseQuery(runsQuery(project, runsAsked(number, search.after)));
  const sides = sidesOf(summary, search.machine);
  const comparison = useQuery({
    ...compareQuery(project, { ...(sides ?? { base: "", head: "" }), ...pairsAsked({}) }),
    enabled: sides !== null,
  });
  useTitle(`Pull request ${number} of ${project}`);
  const compared = comparison.data;
  const isMissing = compared !== undefined && isBaseMissing(compared);
  return (
    <>
      <header>
        <nav aria-label="Breadcrumb">
          <ol className="breadcrumb">
            <li>
              <Link {...toPullRequests(project)}>Pull requests</Link>
            </li>
            <li>#{number}</li>
          </ol>
        </nav>
        <h1>{unbrokenShares(titleOf(summary, compared))}</h1>
        {compared !== undefined && !isMissing && <ComparisonLede project={project} comparison={compared} />}
        <Caution summary={summary} isBaseMissing={isMissing} />
        {sides !== null && (
          <p className="lede">
            <Link {...toComparison(project, sides.base, sides.head)}>Compare with another commit</Link>
          </p>
        )}
      </header>
      {comparison.error !== null && (
        <ErrorState error={comparison.error} onRetry={() => comparison.refetch()} heading="h2" />
      )}
      {sides !== null && compared !== undefined && !isMissing && (
        <ComparisonSections
          project={project}
          sides={sides}
          comparison={compared}
          search={search}
          onSearch={(change) =>
            navigate({
              ...toPullRequest(project, number),
              search: parsePullRequestSearch({ ...search, ...change }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      )}
      <Section title="Runs">
        <RunsTable label="Runs" runs={page.runs} />
      </Section>
      {page.next_after !== null && (
        <p className="section">
          <Link
            {...toPullRequest(project, number)}
            search={{ ...search, after: page.next_after }}
            className="button"
          >
            Earlier runs
          </Link>
        </p>
      )}
    </>
  );
}
