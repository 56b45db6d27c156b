/** Pull requests, each with its newest commit and with what that is compared. */
import { Link } from "@tanstack/react-router";
import type { PullRequestSummary } from "@/api/types";
import { Ago } from "@/components/ui/Ago";
import { CommitName } from "@/components/ui/CommitName";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { toPullRequest } from "@/lib/paths";
import { formatCount } from "@/lib/units";

type Props = { project: string; pullRequests: PullRequestSummary[] };

export function PullRequestTable({ project, pullRequests }: Props) {
  return (
    <ScrollRegion label="Pull requests">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">number</th>
            <th scope="col" className="grow">
              newest commit
            </th>
            <th scope="col">left the main line at</th>
            <th scope="col" className="number">
              runs
            </th>
            <th scope="col">measured</th>
          </tr>
        </thead>
        <tbody>
          {pullRequests.map(
            ({ pull_request, head, merge_base, merge_base_is_certain, run_count, latest_run }) => (
              <tr key={pull_request}>
                <th scope="row">
                  <Link {...toPullRequest(project, pull_request)}>#{pull_request}</Link>
                </th>
                <td className="grow" title={head.subject}>
                  <CommitName commit={head} subject />
                </td>
                <td>
                  {merge_base === null ? (
                    <span className="muted">not known</span>
                  ) : (
                    <>
                      <CommitName commit={merge_base} />
                      {!merge_base_is_certain && <span className="muted"> or later</span>}
                    </>
                  )}
                </td>
                <td className="number">{formatCount(run_count)}</td>
                <td>
                  <Ago moment={latest_run.finished_at} />
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
