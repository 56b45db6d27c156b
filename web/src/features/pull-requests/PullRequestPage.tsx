/** One pull request: comparison with its merge base, and its runs. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { compareQuery, pullRequestQuery, runsQuery } from "@/api/queries";
import type { PullRequestSummary } from "@/api/types";
import { ComparisonLede, ComparisonSections } from "@/components/comparison/ComparisonSections";
import { unbrokenShares } from "@/components/comparison/pairs";
import { pairsAsked } from "@/components/comparison/search";
import { RunsTable } from "@/components/RunsTable";
import { Older } from "@/components/ui/controls";
import { Breadcrumb, ErrorState, Section } from "@/components/ui/states";
import { CommandLine, CommitName } from "@/components/ui/text";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { toComparison, toPullRequests } from "@/lib/paths";
import { resultArguments } from "@/lib/site";
import { isBaseMissing, type PullRequestSearch, runsAsked, sidesOf, titleOf } from "./data";

const route = getRouteApi("/$project/pull-requests/$pullRequest");

export function PullRequestPage() {
  const { project, pullRequest } = route.useParams();
  const number = Number(pullRequest);
  const search = route.useSearch();
  const change = useSearchChange<PullRequestSearch>();
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
        <Breadcrumb>
          <Link {...toPullRequests(project)}>Pull requests</Link>
          {`#${number}`}
        </Breadcrumb>
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
          onSearch={change}
        />
      )}
      <Section title="Runs">
        <RunsTable label="Runs" runs={page.runs} />
      </Section>
      <Older after={page.next_after} />
    </>
  );
}

type Props = { summary: PullRequestSummary; isBaseMissing: boolean };

/** Problems with the merge base, and how to solve them. */
function Caution({ summary: { merge_base, merge_base_is_certain }, isBaseMissing }: Props) {
  if (merge_base === null) {
    return <p className="lede">Measure the commit it branched from, in a full clone.</p>;
  }
  return (
    <>
      {isBaseMissing && (
        <div className="lede">
          To measure <CommitName commit={merge_base} /> ‘{merge_base.subject}’, run on the same machine:
          <CommandLine command={`git checkout ${merge_base.sha} && roundtrip run ${resultArguments()}`} />
        </div>
      )}
      {!merge_base_is_certain && (
        <p className="lede warning">
          Merge base: <CommitName commit={merge_base} /> or later; parent commits are missing. Changes may
          include those of the main line.
        </p>
      )}
    </>
  );
}
