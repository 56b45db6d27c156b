/** Why a commit is measured: for which regression or pull request, and who asked. */
import { Link } from "@tanstack/react-router";
import type { Job } from "@/api/types";
import { toPullRequest, toRegression } from "@/lib/paths";
import { askerText, reasonText } from "@/lib/queue";

export function Reason({ project, job }: { project: string; job: Job }) {
  const { reason, regression_id, pull_request, requested_by } = job;
  return (
    <>
      {requested_by !== null && reason === "request"
        ? `${askerText(requested_by)} asked for it`
        : reasonText(reason)}
      {regression_id !== null && (
        <>
          , for <Link {...toRegression(project, regression_id)}>change {regression_id}</Link>
        </>
      )}
      {pull_request !== null && (
        <>
          , <Link {...toPullRequest(project, pull_request)}>#{pull_request}</Link>
        </>
      )}
      {requested_by !== null && reason !== "request" && (
        <span className="muted"> ({askerText(requested_by)})</span>
      )}
    </>
  );
}
