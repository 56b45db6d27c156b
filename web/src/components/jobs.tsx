/** Tables of open and finished jobs. */
import { Link } from "@tanstack/react-router";
import type { Job } from "@/api/types";
import { cancelJob } from "@/api/writes";
import { numeric, RowTable, rowHead, unseen } from "@/components/ui/Table";
import { Ago, CommitName, ShortSha } from "@/components/ui/text";
import { shortSha } from "@/lib/commits";
import { useChange } from "@/lib/hooks";
import { toJob, toPullRequest, toRegression, toRun } from "@/lib/paths";
import { type Begin, placeText, reasonText, requesterText } from "@/lib/queue";
import { formatDuration } from "@/lib/time";
import { Confirm, FormError } from "./form";

type Props = {
  label: string;
  project: string;
  jobs: Job[];
  begins: ReadonlyMap<number, Begin>;
  mayCancel: boolean;
  hasMachine?: boolean;
};

/** Columns of both tables. */
function columnsOf(project: string) {
  return {
    commit: [rowHead("Commit"), (job: Job) => <JobName project={project} job={job} />],
    machine: ["Machine", (job: Job) => <JobPlace job={job} />],
    reason: ["Reason", (job: Job) => <Reason project={project} job={job} />, "flexible"],
  } as const;
}

export function OpenJobs({ label, project, jobs, begins, mayCancel, hasMachine = true }: Props) {
  const { commit, machine, reason } = columnsOf(project);
  const isRunning = jobs.every(({ status }) => status === "running");
  return (
    <RowTable
      label={label}
      rows={jobs}
      keyOf={({ job_id }) => job_id}
      columns={[
        commit,
        hasMachine && machine,
        [
          isRunning ? "Started" : "Starts",
          (job) => <Begins job={job} begin={begins.get(job.job_id)} />,
          "flexible",
        ],
        reason,
        ["Requested", (job) => <Ago moment={job.created_at} />, "muted"],
        mayCancel && [unseen("Cancel"), (job) => <CancelJob project={project} job={job} />, "number"],
      ]}
    />
  );
}

function Begins({ job, begin }: { job: Job; begin: Begin | undefined }) {
  const again = job.attempt > 1 && <span className="line muted">attempt {job.attempt}</span>;
  if (job.status === "running") {
    return (
      <>
        {job.started_at !== null && <Ago moment={job.started_at} />}
        {again}
      </>
    );
  }
  if (begin === undefined) return null;
  return (
    <>
      <span className={begin.kind === "blocked" ? "warning" : begin.kind === "unknown" ? "muted" : undefined}>
        {begin.text}
      </span>
      {job.failure !== null && <span className="line muted">last attempt: {job.failure}</span>}
    </>
  );
}

/** Finished jobs, newest first. */
export function FinishedJobs({ project, jobs }: { project: string; jobs: Job[] }) {
  const { commit, machine, reason } = columnsOf(project);
  return (
    <RowTable
      label="Finished"
      rows={jobs}
      keyOf={({ job_id }) => job_id}
      columns={[
        commit,
        machine,
        ["Result", (job) => <Outcome project={project} job={job} />, "flexible"],
        reason,
        ["Finished", ({ done_at }) => done_at !== null && <Ago moment={done_at} />],
        [numeric("Duration"), (job) => job.done_at !== null && formatDuration(job.created_at, job.done_at)],
      ]}
    />
  );
}

function Outcome({ project, job: { status, failure, done_by_run_id } }: { project: string; job: Job }) {
  if (status === "failed") {
    return <span className="warning">failed{failure !== null && `: ${failure}`}</span>;
  }
  if (status === "done" && done_by_run_id !== null)
    return <Link {...toRun(project, done_by_run_id)}>measured</Link>;
  return <span className="muted">{status === "done" ? "measured" : status}</span>;
}

type CancelJobProps = { project: string; job: Job; className?: string };

/** Cancels an open job, after confirmation. */
export function CancelJob({ project, job, className }: CancelJobProps) {
  const cancelling = useChange(
    () => cancelJob(project, job.job_id),
    ["/api/v1/projects/{project}/jobs", "/api/v1/projects/{project}/jobs/{job_id}"],
  );
  const sha = shortSha(job.commit_sha);
  return (
    <>
      <Confirm
        label="Cancel"
        name={`Cancel ${sha} on ${placeText(job)}`}
        question={`Cancel the job for ${sha}?`}
        isBusy={cancelling.isPending}
        onConfirm={() => cancelling.mutate(undefined)}
        className={className}
      >
        {job.status === "running"
          ? "The agent stops after the current repetition and discards partial results."
          : "You can queue it again later."}
      </Confirm>
      <FormError error={cancelling.error} />
    </>
  );
}

function JobName({ project, job }: { project: string; job: Job }) {
  return (
    <>
      <Link {...toJob(project, job.job_id)}>
        <ShortSha sha={job.commit_sha} />
      </Link>
      {job.base_sha !== null && (
        <span className="muted">
          {" "}
          vs <CommitName commit={{ sha: job.base_sha }} />
        </span>
      )}
      {job.preset !== null && <span className="line muted">{job.preset}</span>}
    </>
  );
}

function JobPlace({ job }: { job: Job }) {
  return job.machine === null ? <span className="muted">{placeText(job)}</span> : job.machine;
}

/** The reason of a job: its regression or pull request, and the requester. */
export function Reason({ project, job }: { project: string; job: Job }) {
  const { reason, regression_id, pull_request, requested_by } = job;
  return (
    <>
      {requested_by !== null && reason === "request"
        ? `requested by ${requesterText(requested_by)}`
        : reasonText(reason)}
      {regression_id !== null && (
        <>
          , <Link {...toRegression(project, regression_id)}>change {regression_id}</Link>
        </>
      )}
      {pull_request !== null && (
        <>
          , <Link {...toPullRequest(project, pull_request)}>#{pull_request}</Link>
        </>
      )}
      {requested_by !== null && reason !== "request" && (
        <span className="muted"> ({requesterText(requested_by)})</span>
      )}
    </>
  );
}
