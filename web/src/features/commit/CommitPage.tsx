/** Everything about one commit: verdict, changed cases, regressions, runs and jobs. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { commitQuery } from "@/api/queries";
import type { CommitDetail, CommitSummary, Job } from "@/api/types";
import { ComparisonSummary } from "@/components/comparison/ComparisonSummary";
import { unbrokenShares } from "@/components/comparison/pairs";
import { Loaded } from "@/components/form";
import { Reason } from "@/components/jobs";
import { RunsTable } from "@/components/RunsTable";
import { Suspicions } from "@/components/Suspicions";
import { ErrorState, Section } from "@/components/ui/states";
import { rowHead, TableSection } from "@/components/ui/Table";
import { Ago, AuthorName, CommitName, Facts, HostLink } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { useTitle } from "@/lib/hooks";
import { toCommit, toJob, toPullRequest, toRegression } from "@/lib/paths";
import { placeText } from "@/lib/queue";
import { STATE_NAMES, worstText } from "@/lib/regressions";
import { isSite } from "@/lib/site";
import { formatMoment } from "@/lib/time";
import { counted, formatCount } from "@/lib/units";
import { useKeys } from "@/lib/useKeys";
import { onlyPullRequest, pullRequestsOf, roleIn, titleOf } from "./data";
import { comparisonQuery, jobsAt, regressionsAt } from "./load";
import { Notes } from "./Notes";

const route = getRouteApi("/$project/commit/$sha");

export function CommitPage() {
  const { project, sha: name } = route.useParams();
  const { data: detail } = useSuspenseQuery(commitQuery(project, name));
  const { commit, previous, runs, run_count } = detail;
  const comparison = useQuery(comparisonQuery(project, detail));
  // A site has the comparisons of its newest commits only.
  const error = isSite() ? null : comparison.error;
  useTitle(`Commit ${shortSha(commit.sha)} of ${project}`);
  return (
    <>
      <header>
        <Neighbours project={project} detail={detail} />
        <h1>{unbrokenShares(titleOf(detail, comparison.data))}</h1>
        <p className="lede">
          <CommitName commit={commit} /> ‘{commit.subject}’ by <AuthorName name={commit.author} />,{" "}
          <Ago moment={commit.committed_at} />
          {pullRequestsOf(runs).map((number) => (
            <span key={number}>
              , pull request{" "}
              <span className="unbroken">
                <Link {...toPullRequest(project, number)}>#{number}</Link>
                <HostLink name={`#${number}`} to={({ pullRequest }) => pullRequest(number)} />
              </span>
            </span>
          ))}
        </p>
        {previous !== null && run_count > 0 && <Range base={previous} head={commit} />}
      </header>
      <Suspicions project={project} commit={commit.sha} />
      {error !== null && <ErrorState error={error} onRetry={() => comparison.refetch()} heading="h2" />}
      {comparison.data !== undefined && (
        <ComparisonSummary
          project={project}
          comparison={comparison.data}
          pullRequest={onlyPullRequest(runs)}
        />
      )}
      <Regressions project={project} sha={commit.sha} />
      {runs.length > 0 && (
        <Section title={runs.length < run_count ? `Newest ${formatCount(runs.length)} runs` : "Runs"}>
          <RunsTable label="Runs" runs={runs} />
        </Section>
      )}
      {!isSite() && <Jobs project={project} sha={commit.sha} />}
      {!isSite() && <Notes key={commit.sha} project={project} sha={commit.sha} />}
      <Section title="Commit">
        <Facts
          wide
          facts={[
            { name: "SHA", value: <code>{commit.sha}</code> },
            {
              name: "Number",
              value: `#${formatCount(commit.ordinal)}${detail.ordinal_is_estimate ? ", estimated" : ""}`,
            },
            { name: "Committed", value: formatMoment(commit.committed_at) },
            detail.parents.length > 0 && {
              name: detail.parents.length > 1 ? "Parents" : "Parent",
              value: detail.parents.map((sha) => (
                <span key={sha}>
                  <CommitName commit={{ sha }} />{" "}
                </span>
              )),
            },
          ]}
        />
      </Section>
    </>
  );
}

/** The measured commits before and after, also by key. */
function Neighbours({ project, detail: { previous, next } }: { project: string; detail: CommitDetail }) {
  const navigate = useNavigate();
  const go = (commit: CommitSummary | null) => () => {
    if (commit !== null) void navigate(toCommit(project, commit.sha));
  };
  useKeys({
    title: "Commit",
    keys: [
      ["[", "previous measured commit", go(previous)],
      ["]", "next measured commit", go(next)],
    ],
  });
  const neighbour = (label: string, key: string, commit: CommitSummary | null) =>
    commit !== null && (
      <Link {...toCommit(project, commit.sha)} title={commit.subject} aria-keyshortcuts={key}>
        {label} <code>{shortSha(commit.sha)}</code>
      </Link>
    );
  return (
    <nav className="neighbours" aria-label="Measured commits">
      {neighbour("Previous", "[", previous)}
      {neighbour("Next", "]", next)}
    </nav>
  );
}

function Range({ base, head }: { base: CommitSummary; head: CommitSummary }) {
  const apart = head.ordinal - base.ordinal;
  return (
    <p className="lede">
      Compared with <CommitName commit={base} /> ‘{base.subject}’
      {apart > 1 && `, ${counted(apart, "commit")} earlier`}
      <HostLink
        name={`${shortSha(base.sha)}..${shortSha(head.sha)}`}
        to={({ range }) => range(base.sha, head.sha)}
      >
        diff{" "}
      </HostLink>
    </p>
  );
}

function Regressions({ project, sha }: { project: string; sha: string }) {
  const query = useQuery(regressionsAt(project, sha));
  return (
    <Loaded query={query}>
      {({ regressions }) => (
        <TableSection
          title="Regressions"
          className="table"
          rows={regressions}
          keyOf={({ regression_id }) => regression_id}
          columns={[
            [
              rowHead("Change"),
              (regression) => (
                <Link
                  {...toRegression(project, regression.regression_id)}
                  className={`change change-${regression.direction} strong`}
                >
                  {worstText(regression, regression.worst_change)}
                </Link>
              ),
            ],
            ["Commit", (regression) => roleIn(regression, sha)],
            [
              "Series",
              ({ series_count, machines }) =>
                `${formatCount(series_count)} on ${counted(machines.length, "machine")}`,
            ],
            ["Cause", ({ cause }) => cause, "muted"],
            ["State", ({ state }) => STATE_NAMES[state], "muted"],
          ]}
        />
      )}
    </Loaded>
  );
}

function Jobs({ project, sha }: { project: string; sha: string }) {
  const query = useQuery(jobsAt(project, sha));
  return (
    <Loaded query={query}>
      {({ jobs }) => (
        <TableSection
          title="Jobs"
          className="table"
          rows={jobs}
          keyOf={({ job_id }) => job_id}
          columns={[
            [rowHead("Job"), ({ job_id }) => <Link {...toJob(project, job_id)}>{job_id}</Link>],
            ["Status", (job) => <Status job={job} />, "flexible"],
            ["Machine", placeText],
            ["Base", ({ base_sha }) => base_sha !== null && <CommitName commit={{ sha: base_sha }} />],
            ["Reason", (job) => <Reason project={project} job={job} />, "flexible"],
            ["Requested", ({ created_at }) => <Ago moment={created_at} />, "muted"],
          ]}
        />
      )}
    </Loaded>
  );
}

function Status({ job: { status, failure } }: { job: Job }) {
  if (status !== "failed") return status;
  return <span className="warning">failed{failure !== null && `: ${failure}`}</span>;
}
