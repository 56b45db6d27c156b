/** Running, queued and finished jobs. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { agentsQuery, jobsQuery, sessionQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import { NotAllowed } from "@/components/form";
import { FinishedJobs, OpenJobs } from "@/components/jobs";
import { Older, optionsOf, SelectField } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { refusal } from "@/lib/access";
import { ascending, distinct } from "@/lib/collections";
import { useNow, useSearchChange, useTitle } from "@/lib/hooks";
import { toMachines, toMeasure } from "@/lib/paths";
import { beginsOf, FINISHED, OPEN, queueOf, queueSentence, STATUSES, type Status } from "@/lib/queue";
import { present } from "@/lib/search";
import { upperFirst } from "@/lib/units";

const route = getRouteApi("/$project/jobs");

const ALL = "";
const ALL_OPTION = { value: ALL, label: "All" };
const FINISHED_STATUSES = ["done", "failed", "cancelled"] as const;

export function QueuePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { data: open } = useSuspenseQuery(jobsQuery(project, OPEN));
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: finished } = useSuspenseQuery(
    jobsQuery(project, { ...FINISHED, ...present({ after: search.after }) }),
  );
  const now = useNow();
  useTitle(`Queue of ${project}`);
  const queue = queueOf(open.jobs);
  const begins = beginsOf(queue, agents, now);
  const isAsked = (status: string) => search.status === undefined || status === search.status;
  const shown = (jobs: readonly Job[], ...statuses: Status[]) =>
    jobs.filter(
      ({ status, machine }) =>
        isAsked(status) &&
        statuses.some((entry) => entry === status) &&
        (search.machine === undefined || machine === search.machine),
    );
  const mayQueue = refusal(session, project, "queue") === null;
  const change = useSearchChange<{ status: string; machine: string; after: string }>();
  const names = [...agents, ...queue, ...finished.jobs].flatMap(({ machine }) => machine ?? []);
  const machines = distinct(names).sort(ascending);
  return (
    <>
      <header>
        <h1>{queueSentence(queue)}</h1>
        <p className="lede">
          Start times are estimates. <Link {...toMachines(project)}>Machines</Link>
        </p>
      </header>
      <div className="controls section">
        <SelectField
          label="Status"
          options={[ALL_OPTION, ...optionsOf(STATUSES, upperFirst)]}
          value={search.status ?? ALL}
          onChange={(status) => change({ status: status || undefined, after: undefined })}
        />
        {machines.length > 1 && (
          <SelectField
            label="Machine"
            options={[ALL_OPTION, ...optionsOf(machines)]}
            value={search.machine ?? ALL}
            onChange={(machine) => change({ machine: machine || undefined, after: undefined })}
          />
        )}
        {mayQueue && (
          <Link {...toMeasure(project)} className="button">
            New job
          </Link>
        )}
      </div>
      {isAsked("running") && (
        <Section title="Running">
          <Listed jobs={shown(queue, "running")} nothing="No running jobs">
            {(jobs) => (
              <OpenJobs label="Running" project={project} jobs={jobs} begins={begins} mayCancel={mayQueue} />
            )}
          </Listed>
        </Section>
      )}
      {isAsked("queued") && (
        <Section title="Queued">
          <Listed jobs={shown(queue, "queued")} nothing="No queued jobs">
            {(jobs) => (
              <OpenJobs label="Queued" project={project} jobs={jobs} begins={begins} mayCancel={mayQueue} />
            )}
          </Listed>
          {open.next_after !== null && <p className="section-note">Showing the newest 1,000 jobs.</p>}
        </Section>
      )}
      {FINISHED_STATUSES.some(isAsked) && (
        <Section title="Finished">
          <Listed jobs={shown(finished.jobs, ...FINISHED_STATUSES)} nothing="No finished jobs">
            {(jobs) => <FinishedJobs project={project} jobs={jobs} />}
          </Listed>
          <Older after={finished.next_after} />
        </Section>
      )}
      {!mayQueue && (
        <div className="section">
          <NotAllowed session={session} project={project} action="queue" what="queue and cancel jobs" />
        </div>
      )}
    </>
  );
}

type ListedProps = { jobs: Job[]; nothing: string; children: (jobs: Job[]) => ReactNode };

function Listed({ jobs, nothing, children }: ListedProps) {
  return jobs.length === 0 ? <p className="muted">{nothing}</p> : children(jobs);
}
