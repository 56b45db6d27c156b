/** What every list of jobs says of one: which commit, against which other, and where. */
import { Link } from "@tanstack/react-router";
import type { Job } from "@/api/types";
import { shortSha } from "@/lib/commits";
import { toJob } from "@/lib/paths";
import { placeText } from "@/lib/queue";

/** The commit, which leads to the job. */
export function JobName({ project, job }: { project: string; job: Job }) {
  return (
    <>
      <Link {...toJob(project, job.job_id)}>
        <code title={job.commit_sha}>{shortSha(job.commit_sha)}</code>
      </Link>
      {job.base_sha !== null && (
        <span className="muted">
          {" "}
          against <code title={job.base_sha}>{shortSha(job.base_sha)}</code>
        </span>
      )}
      {job.preset !== null && <span className="line muted">{job.preset}</span>}
    </>
  );
}

/** Where it is measured. */
export function JobPlace({ job }: { job: Job }) {
  return job.machine === null ? <span className="muted">{placeText(job)}</span> : job.machine;
}
