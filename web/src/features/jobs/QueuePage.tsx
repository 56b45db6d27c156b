/** What machines measure now, what waits in its order, and what became of what was asked for. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { agentsQuery, jobsQuery, sessionQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import { NotAllowed } from "@/components/form";
import { OpenJobs, OverJobs } from "@/components/jobs";
import { SelectField } from "@/components/ui/controls";
import { Section } from "@/components/ui/states";
import { refusal } from "@/lib/access";
import { ascending, distinct } from "@/lib/collections";
import { useNow, useSearchChange, useTitle } from "@/lib/hooks";
import { toMachines, toMeasure, toQueue } from "@/lib/paths";
import { beginsOf, OPEN, OVER, queueOf, queueSentence, STATUSES, type Status } from "@/lib/queue";
import { present } from "@/lib/search";
import { parseQueueSearch } from "./search";

const route = getRouteApi("/$project/jobs");

const ALL = "";
const ENDED = ["done", "failed", "cancelled"] as const;

export function QueuePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { data: open } = useSuspenseQuery(jobsQuery(project, OPEN));
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: over } = useSuspenseQuery(
    jobsQuery(project, { ...OVER, ...present({ after: search.after }) }),
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
  const show = (asked: { status?: string; machine?: string }) => {
    const { status, machine } = parseQueueSearch({ ...search, ...asked });
    return change({ status, machine, after: undefined });
  };
  const names = [...agents, ...queue, ...over.jobs].flatMap(({ machine }) => machine ?? []);
  const machines = distinct(names).sort(ascending);
  return (
    <>
      <header>
        <h1>{queueSentence(queue)}</h1>
        <p className="lede">
          A commit waits for a machine that takes it:{" "}
          <Link {...toMachines(project)}>how the machines are</Link>. When it begins is estimated from how
          long such jobs took there before.
        </p>
      </header>
      <div className="controls section">
        <SelectField
          label="Status"
          options={[ALL, ...STATUSES].map((value) => ({ value, label: value === ALL ? "all" : value }))}
          value={search.status ?? ALL}
          onChange={(status) => show({ status })}
        />
        {machines.length > 1 && (
          <SelectField
            label="Machine"
            options={[ALL, ...machines].map((value) => ({ value, label: value === ALL ? "all" : value }))}
            value={search.machine ?? ALL}
            onChange={(machine) => show({ machine })}
          />
        )}
        {mayQueue && (
          <Link {...toMeasure(project)} className="button">
            Ask for a measurement
          </Link>
        )}
      </div>
      {isAsked("running") && (
        <Section title="Now">
          <Listed jobs={shown(queue, "running")} nothing="No machine measures anything.">
            {(jobs) => (
              <OpenJobs label="Now" project={project} jobs={jobs} begins={begins} mayCancel={mayQueue} />
            )}
          </Listed>
        </Section>
      )}
      {isAsked("queued") && (
        <Section title="Waiting">
          <Listed
            jobs={shown(queue, "queued")}
            nothing="Nothing waits to be measured. Commits are asked for by people, by schedules and pushes, and by the server, when a change lies between two that were measured, and when measuring once does not tell."
          >
            {(jobs) => (
              <OpenJobs label="Waiting" project={project} jobs={jobs} begins={begins} mayCancel={mayQueue} />
            )}
          </Listed>
          {open.next_after !== null && (
            <p className="section-note">These are of the newest 1,000; older ones are before them.</p>
          )}
        </Section>
      )}
      {ENDED.some(isAsked) && (
        <Section title="Over">
          <Listed jobs={shown(over.jobs, ...ENDED)} nothing="Of these, none is over.">
            {(jobs) => <OverJobs project={project} jobs={jobs} />}
          </Listed>
          {over.next_after !== null && (
            <p className="section-note">
              <Link {...toQueue(project)} search={{ ...search, after: over.next_after }}>
                Earlier ones
              </Link>
            </p>
          )}
        </Section>
      )}
      {!mayQueue && (
        <div className="section">
          <NotAllowed
            session={session}
            project={project}
            action="queue"
            what="ask for measurements and cancel them"
          />
        </div>
      )}
    </>
  );
}

type ListedProps = { jobs: Job[]; nothing: string; children: (jobs: Job[]) => ReactNode };

function Listed({ jobs, nothing, children }: ListedProps) {
  return jobs.length === 0 ? <p className="muted">{nothing}</p> : children(jobs);
}
