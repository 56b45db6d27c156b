/** One job: what became of it, what was asked for, and what each attempt at it ended with. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { agentsQuery, jobQuery, jobsQuery } from "@/api/labQueries";
import { runsQuery, sessionQuery } from "@/api/queries";
import type { JobDetail } from "@/api/types";
import { CancelJob } from "@/components/jobs/CancelJob";
import { Reason } from "@/components/jobs/Reason";
import { RunsTable } from "@/components/RunsTable";
import { Ago } from "@/components/ui/Ago";
import { Facts } from "@/components/ui/Facts";
import { Section } from "@/components/ui/Section";
import { refusal } from "@/lib/access";
import { toMachine, toQueue, toRun } from "@/lib/paths";
import { askerText, beginsOf, jobSentence, OPEN, placeText, queueOf } from "@/lib/queue";
import { formatMoment } from "@/lib/time";
import { useNow } from "@/lib/useNow";
import { useTitle } from "@/lib/useTitle";
import { Attempts } from "./components/Attempts";
import { MeasureAgain } from "./components/MeasureAgain";

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
        <nav aria-label="Breadcrumb">
          <ol className="breadcrumb">
            <li>
              <Link {...toQueue(project)}>Queue</Link>
            </li>
            <li>job {jobId}</li>
          </ol>
        </nav>
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

/** Its runs, as far as they are among the machine's newest. */
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
