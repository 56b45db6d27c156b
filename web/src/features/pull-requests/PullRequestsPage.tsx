/** Measured pull requests, the newest first, with pagination. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { pullRequestsQuery } from "@/api/queries";
import type { PullRequestSummary } from "@/api/types";
import { Older } from "@/components/ui/controls";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { Ago, CommandLine, CommitName, HostLink } from "@/components/ui/text";
import { useTitle } from "@/lib/hooks";
import { toPullRequest } from "@/lib/paths";
import { isSite } from "@/lib/site";
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
          {isWhole ? `${counted(pull_requests.length, "pull request")} measured` : "Measured pull requests"}
        </h1>
        <p className="lede">Compared with their merge base; excluded from trends.</p>
      </header>
      <div className="section">
        <RowTable
          label="Pull requests"
          rows={pull_requests}
          keyOf={({ pull_request }) => pull_request}
          columns={[
            [
              rowHead("Number"),
              ({ pull_request: number }) => (
                <>
                  <Link {...toPullRequest(project, number)}>#{number}</Link>
                  <HostLink name={`#${number}`} to={({ pullRequest }) => pullRequest(number)} />
                </>
              ),
            ],
            [
              { name: "Newest commit", className: "grow" },
              ({ head }) => <CommitName commit={head} subject />,
              ({ head }) => ({ className: "grow", title: head.subject }),
            ],
            ["Merge base", (summary) => <MergeBase {...summary} />],
            [numeric("Runs"), ({ run_count }) => formatCount(run_count)],
            ["Measured", ({ latest_run }) => <Ago moment={latest_run.finished_at} />],
          ]}
        />
      </div>
      <Older after={next_after} />
    </>
  );
}

function MergeBase({ merge_base, merge_base_is_certain }: PullRequestSummary) {
  if (merge_base === null) return <span className="muted">unknown</span>;
  return (
    <>
      <CommitName commit={merge_base} />
      {!merge_base_is_certain && <span className="muted"> or later</span>}
    </>
  );
}

function NoPullRequests() {
  return (
    <div className="state">
      <h1>No pull requests yet</h1>
      <p className="muted">Check out the commit, then:</p>
      <ul className="ways">
        <li>
          Measure:
          <CommandLine command="roundtrip run --output report.json" />
        </li>
        <li>
          Set the number, here 42{!isSite() && ", and upload"}:
          <CommandLine command={"jq '.pull_request = 42' report.json > pull-42.json"} />
          {!isSite() && (
            <CommandLine command={`roundtrip upload pull-42.json --server ${window.location.origin}`} />
          )}
        </li>
      </ul>
      <p className="muted">Compared with the merge base; excluded from trends; no alerts.</p>
    </div>
  );
}
