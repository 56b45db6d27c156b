/** One job: what became of it, what was asked for, and what each attempt at it ended with. */
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
import { Ago, Facts } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { useChange, useNow, useTitle } from "@/lib/hooks";
import { toJob, toMachine, toQueue, toRun } from "@/lib/paths";
import { askerText, beginsOf, jobSentence, OPEN, placeText, queueOf } from "@/lib/queue";
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
  // Whether it is the next one is known with the others alone.
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
          <p className="lede warning">The last time it did not get done: {job.failure}.</p>
        )}
        {job.is_fork && (
          <p className="lede warning">
            It comes from another repository: what is measured of it is kept apart, is never compared with as
            a baseline, and nobody is alerted of it.
          </p>
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
      <Section title="What was asked for">
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
  const facts = [
    { name: "commit", value: <code>{job.commit_sha}</code> },
    ...(job.base_sha === null ? [] : [{ name: "compared with", value: <code>{job.base_sha}</code> }]),
    ...(job.branch === null ? [] : [{ name: "branch", value: job.branch }]),
    {
      name: "machine",
      value:
        job.machine === null ? (
          placeText(job)
        ) : (
          <Link {...toMachine(project, job.machine)}>{job.machine}</Link>
        ),
    },
    ...(job.machine !== null && job.labels.length > 0
      ? [{ name: "labels", value: job.labels.join(", ") }]
      : []),
    { name: "preset", value: job.preset ?? <span className="muted">what its roundtrip.toml says</span> },
    { name: "why", value: <Reason project={project} job={job} /> },
    { name: "asked for", value: `${formatMoment(job.created_at)}, by ${askerText(job.requested_by)}` },
    ...(job.started_at === null ? [] : [{ name: "begun", value: formatMoment(job.started_at) }]),
    ...(job.done_at === null ? [] : [{ name: "ended", value: <Ago moment={job.done_at} /> }]),
  ];
  return <Facts wide facts={facts} />;
}

function JobRuns({ project, job }: { project: string; job: JobDetail }) {
  const { machine, done_by_run_id } = job;
  const { data } = useQuery({
    ...runsQuery(project, machine === null ? {} : { machine }),
    enabled: job.attempt > 0,
  });
  const runs =
    data?.runs.filter(({ run_id, job_id }) => run_id === done_by_run_id || job_id === job.job_id) ?? [];
  if (runs.length > 0) {
    return (
      <Section title="What was measured">
        <RunsTable label="What was measured" runs={runs} />
      </Section>
    );
  }
  if (done_by_run_id === null) return null;
  return (
    <Section title="What was measured">
      <Link {...toRun(project, done_by_run_id)}>Its run</Link>
    </Section>
  );
}

/** Each time that an agent took a job: where, how that ended, and what was printed. */
function Attempts({ job }: { job: JobDetail }) {
  if (job.attempts.length === 0) {
    return (
      <p className="muted">
        {job.status === "running" ? "The first one is not over yet." : "No agent has taken it."}
      </p>
    );
  }
  return (
    <>
      {job.attempts.map((attempt) => (
        <One key={attempt.fence} attempt={attempt} />
      ))}
    </>
  );
}

function One({ attempt }: { attempt: Attempt }) {
  const { machine, started_at, ended_at, output, outcome } = attempt;
  return (
    <article className="attempt">
      <h3 className={outcome === "done" ? undefined : "warning"}>{upperFirst(attemptText(attempt))}</h3>
      <p className="muted">
        on {machine}, {formatMoment(started_at)}, {formatDuration(started_at, ended_at)}
      </p>
      {output === "" ? (
        <p className="muted">It printed nothing.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        <section className="output" tabIndex={0} aria-label={`What was printed on ${machine}`}>
          <pre>{output}</pre>
        </section>
      )}
    </article>
  );
}

/** Asks for the same once more, and goes to what is asked for. */
function MeasureAgain({ project, job }: { project: string; job: JobDetail }) {
  const navigate = useNavigate();
  const request = againOf(job);
  const asking = useChange(
    (again: NonNullable<typeof request>) => requestJobs(project, again),
    ["/api/v1/projects/{project}/jobs"],
    ({ job_ids: [job_id] }) => job_id !== undefined && navigate(toJob(project, job_id)),
  );
  if (request === null) {
    return <p className="muted">A pull request is measured again from where it was queued, not from here.</p>;
  }
  return (
    <>
      <Button disabled={asking.isPending} onClick={() => asking.mutate(request)}>
        Measure again
      </Button>
      {asking.data?.job_ids.length === 0 && <span role="status">The same is open already.</span>}
      <FormError error={asking.error} />
    </>
  );
}
