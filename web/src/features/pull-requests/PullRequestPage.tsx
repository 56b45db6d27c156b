/** One pull request: comparison with its merge base, and its runs. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { pullRequestQuery, runsQuery } from "@/api/queries";
import type { PullRequestSummary } from "@/api/types";
import { ComparisonSummary } from "@/components/comparison/ComparisonSummary";
import { unbrokenShares } from "@/components/comparison/pairs";
import { RunsTable } from "@/components/RunsTable";
import { Older } from "@/components/ui/controls";
import { Breadcrumb, ErrorState, Section } from "@/components/ui/states";
import { AuthorName, CommandLine, CommitName, useRepository } from "@/components/ui/text";
import { useTitle } from "@/lib/hooks";
import { toPullRequests } from "@/lib/paths";
import { resultArguments } from "@/lib/site";
import { isBaseMissing, titleOf } from "./data";
import { comparisonQuery, runsAsked } from "./load";

const route = getRouteApi("/$project/pull-requests/$pullRequest");

export function PullRequestPage() {
  const { project, pullRequest } = route.useParams();
  const number = Number(pullRequest);
  const { after } = route.useSearch();
  const { data: summary } = useSuspenseQuery(pullRequestQuery(project, number));
  const { data: page } = useSuspenseQuery(runsQuery(project, runsAsked(number, after)));
  const comparison = useQuery(comparisonQuery(project, summary));
  useTitle(`Pull request ${number} of ${project}`);
  const compared = comparison.data;
  const isMissing = compared !== undefined && isBaseMissing(compared);
  const isCompared = compared !== undefined && !isMissing;
  return (
    <>
      <header>
        <Breadcrumb>
          <Link {...toPullRequests(project)}>Pull requests</Link>
          {`#${number}`}
        </Breadcrumb>
        <h1>{unbrokenShares(titleOf(summary, compared))}</h1>
        <Commits summary={summary} />
        <Caution summary={summary} isBaseMissing={isMissing} />
      </header>
      {isCompared ? (
        <ComparisonSummary project={project} comparison={compared} pullRequest={number}>
          <AtHost number={number} />
        </ComparisonSummary>
      ) : (
        <p className="section">
          <AtHost number={number} />
        </p>
      )}
      {comparison.error !== null && (
        <ErrorState error={comparison.error} onRetry={() => comparison.refetch()} heading="h2" />
      )}
      <Section title="Runs">
        <RunsTable label="Runs" runs={page.runs} />
      </Section>
      <Older after={page.next_after} />
    </>
  );
}

/** Back to the pull request itself. */
function AtHost({ number }: { number: number }) {
  const repository = useRepository();
  const href = repository?.pullRequest(number) ?? null;
  if (repository === null || href === null) return null;
  return (
    <a className="button" href={href} target="_blank" rel="noreferrer">
      #{number} on {repository.host}
    </a>
  );
}

function Commits({ summary: { head, merge_base } }: { summary: PullRequestSummary }) {
  return (
    <p className="lede">
      Head <CommitName commit={head} /> ‘{head.subject}’ by <AuthorName name={head.author} />
      {merge_base !== null && (
        <>
          ; merge base <CommitName commit={merge_base} />
        </>
      )}
      .
    </p>
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
