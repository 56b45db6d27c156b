/** The pull requests that runs name, the largest number first, a page at a time. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { pullRequestsQuery } from "@/api/queries";
import type { PullRequestSummary } from "@/api/types";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { Ago, CommandLine, CommitName } from "@/components/ui/text";
import { useTitle } from "@/lib/hooks";
import { toPullRequest, toPullRequests } from "@/lib/paths";
import { counted, formatCount } from "@/lib/units";

const route = getRouteApi("/$project/pull-requests");

export function PullRequestsPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data } = useSuspenseQuery(pullRequestsQuery(project, search));
  const { pull_requests, next_after } = data;
  useTitle(`Pull requests of ${project}`);
  if (pull_requests.length === 0 && search.after === undefined) return <NoPullRequests />;
  const isWhole = next_after === null && search.after === undefined;
  return (
    <>
      <header>
        <h1>
          {isWhole
            ? `${counted(pull_requests.length, "pull request")} ${pull_requests.length === 1 ? "was" : "were"} measured`
            : "Pull requests that were measured"}
        </h1>
        <p className="lede">
          Each is compared with the commit at which it left the main line. What a pull request measured is no
          part of any trend.
        </p>
      </header>
      <div className="section">
        <RowTable
          label="Pull requests"
          rows={pull_requests}
          keyOf={({ pull_request }) => pull_request}
          columns={[
            [
              rowHead("number"),
              ({ pull_request: number }) => <Link {...toPullRequest(project, number)}>#{number}</Link>,
            ],
            [
              { name: "newest commit", className: "grow" },
              ({ head }) => <CommitName commit={head} subject />,
              ({ head }) => ({ className: "grow", title: head.subject }),
            ],
            ["left the main line at", (summary) => <MergeBase {...summary} />],
            [numeric("runs"), ({ run_count }) => formatCount(run_count)],
            ["measured", ({ latest_run }) => <Ago moment={latest_run.finished_at} />],
          ]}
        />
      </div>
      {next_after !== null && (
        <p className="section">
          <Link {...toPullRequests(project)} search={{ after: next_after }} className="button">
            Earlier ones
          </Link>
        </p>
      )}
    </>
  );
}

/** The commit that a pull request is compared with, as far as it is known. */
function MergeBase({ merge_base, merge_base_is_certain }: PullRequestSummary) {
  if (merge_base === null) return <span className="muted">not known</span>;
  return (
    <>
      <CommitName commit={merge_base} />
      {!merge_base_is_certain && <span className="muted"> or later</span>}
    </>
  );
}

/** What to do while no run names a pull request: how a run does. */
function NoPullRequests() {
  const origin = window.location.origin;
  return (
    <div className="state">
      <h1>No pull request was measured yet</h1>
      <p className="muted">
        A run belongs to a pull request when its report names the number, in its member{" "}
        <code>pull_request</code>. The command leaves that empty; at the commit to be measured:
      </p>
      <ul className="ways">
        <li>
          Measure, and keep the report:
          <CommandLine command="roundtrip run --output report.json" />
        </li>
        <li>
          Name the pull request, here 42, and send it to this server:
          <CommandLine command={"jq '.pull_request = 42' report.json > pull-42.json"} />
          <CommandLine command={`roundtrip upload pull-42.json --upload ${origin}`} />
        </li>
      </ul>
      <p className="muted">
        Such runs are no part of any trend and alert nobody: they are compared with the commit at which the
        pull request left the main line.
      </p>
    </div>
  );
}
