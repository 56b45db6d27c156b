/** One job: status, request and attempts. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { agentsQuery, jobQuery, jobsQuery, runsQuery, sessionQuery } from "@/api/queries";
import type { Attempt, JobDetail } from "@/api/types";
import { requestJobs } from "@/api/writes";
import { FormError } from "@/components/form";
import { CancelJob, Reason } from "@/components/jobs";
import { RunsTable } from "@/components/RunsTable";
import { Button } from "@/components/ui/controls";
import { Breadcrumb, Section } from "@/components/ui/states";
import { Ago, CommitName, Facts } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { useChange, useNow, useTitle } from "@/lib/hooks";
import { toJob, toMachine, toQueue, toRun } from "@/lib/paths";
import { beginsOf, jobSentence, OPEN, placeText, queueOf, requesterText } from "@/lib/queue";
import { formatDuration, formatMoment } from "@/lib/time";
import { upperFirst } from "@/lib/units";
import { againOf, attemptText } from "./data";

const route = getRouteApi("/$project/jobs/$jobId");

export function JobPage() {
  const { project, jobId } = route.useParams();
  const { data: job } = useSuspenseQuery(jobQuery(project, Number(jobId)));
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { data: open } = useQuery({ ...jobsQuery(project, OPEN), enabled: job.status === "queued" });
  const now = useNow();
  // The start depends on the other jobs.
  const begin = beginsOf(queueOf(open?.jobs ?? [job]), agents, now).get(job.job_id);
  const sentence = jobSentence(job, begin);
  useTitle(`Job ${jobId} of ${project}`);
  const mayQueue = refusal(session, project, "queue") === null;
  return (
    <>
      <header>
        <Breadcrumb>
          <Link {...toQueue(project)}>Queue</Link>
          {`job ${jobId}`}
        </Breadcrumb>
        <h1>{sentence}</h1>
        {job.failure !== null && job.status !== "failed" && (
          <p className="lede warning">Last attempt failed: {job.failure}</p>
        )}
        {job.is_fork && (
          <p className="lede warning">From a fork: quarantined, never a baseline, no alerts.</p>
        )}
      </header>
      {mayQueue && (
        <div className="controls section">
          {job.done_at === null ? (
            <CancelJob project={project} job={job} className="button" />
          ) : (
            <MeasureAgain project={project} job={job} />
          )}
        </div>
      )}
      <Section title="Request">
        <JobFacts project={project} job={job} />
      </Section>
      <Section title="Attempts">
        <Attempts job={job} />
      </Section>
      <JobRuns project={project} job={job} />
    </>
  );
}

function JobFacts({ project, job }: { project: string; job: JobDetail }) {
  const { commit_sha, base_sha, branch, machine, labels, preset, created_at, started_at, done_at } = job;
  const link = machine !== null && <Link {...toMachine(project, machine)}>{machine}</Link>;
  return (
    <Facts
      wide
      facts={[
        { name: "Commit", value: <CommitName commit={{ sha: commit_sha }} /> },
        base_sha !== null && { name: "Base", value: <CommitName commit={{ sha: base_sha }} /> },
        branch !== null && { name: "Branch", value: branch },
        { name: "Machine", value: link || placeText(job) },
        machine !== null && labels.length > 0 && { name: "Labels", value: labels.join(", ") },
        { name: "Preset", value: preset ?? <span className="muted">from roundtrip.toml</span> },
        { name: "Reason", value: <Reason project={project} job={job} /> },
        { name: "Requested", value: `${formatMoment(created_at)}, by ${requesterText(job.requested_by)}` },
        started_at !== null && { name: "Started", value: formatMoment(started_at) },
        done_at !== null && { name: "Finished", value: <Ago moment={done_at} /> },
      ]}
    />
  );
}

function JobRuns({ project, job }: { project: string; job: JobDetail }) {
  const { machine, done_by_run_id } = job;
  const { data } = useQuery({
    ...runsQuery(project, machine === null ? {} : { machine }),
    enabled: job.attempt > 0,
  });
  const runs =
    data?.runs.filter(({ run_id, job_id }) => run_id === done_by_run_id || job_id === job.job_id) ?? [];
  if (runs.length === 0 && done_by_run_id === null) return null;
  return (
    <Section title="Results">
      {runs.length > 0 && <RunsTable label="Results" runs={runs} />}
      {runs.length === 0 && done_by_run_id !== null && (
        <Link {...toRun(project, done_by_run_id)}>Open run</Link>
      )}
    </Section>
  );
}

function Attempts({ job }: { job: JobDetail }) {
  if (job.attempts.length === 0) {
    return <p className="muted">{job.status === "running" ? "Running" : "No attempts"}</p>;
  }
  return job.attempts.map((attempt) => <AttemptDetails key={attempt.fence} attempt={attempt} />);
}

function AttemptDetails({ attempt }: { attempt: Attempt }) {
  const { machine, started_at, ended_at, output, outcome } = attempt;
  return (
    <article className="attempt">
      <h3 className={outcome === "done" ? undefined : "warning"}>{upperFirst(attemptText(attempt))}</h3>
      <p className="muted">
        on {machine}, {formatMoment(started_at)}, {formatDuration(started_at, ended_at)}
      </p>
      {output === "" ? (
        <p className="muted">No output</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling regions must be reachable by keyboard.
        <section className="output" tabIndex={0} aria-label={`Output on ${machine}`}>
          <pre>{output}</pre>
        </section>
      )}
    </article>
  );
}

function MeasureAgain({ project, job }: { project: string; job: JobDetail }) {
  const navigate = useNavigate();
  const request = againOf(job);
  const queueing = useChange(
    (again: NonNullable<typeof request>) => requestJobs(project, again),
    ["/api/v1/projects/{project}/jobs"],
    ({ job_ids: [job_id] }) => job_id !== undefined && navigate(toJob(project, job_id)),
  );
  if (request === null) {
    return <p className="muted">To re-run, comment /roundtrip retry.</p>;
  }
  return (
    <>
      <Button disabled={queueing.isPending} onClick={() => queueing.mutate(request)}>
        Measure again
      </Button>
      {queueing.data?.job_ids.length === 0 && <span role="status">Already queued</span>}
      <FormError error={queueing.error} />
    </>
  );
}
