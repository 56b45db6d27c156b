/** One machine: how it is, how its own readings go, what it is, what waits for it and what it measured. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { agentsQuery, jobsQuery } from "@/api/labQueries";
import { canariesQuery, errorRatesQuery, machinesQuery, runsQuery, sessionQuery } from "@/api/queries";
import type { CountedShare } from "@/api/types";
import { OpenJobs } from "@/components/jobs/OpenJobs";
import { RunsTable } from "@/components/RunsTable";
import { Ago } from "@/components/ui/Ago";
import { Section } from "@/components/ui/Section";
import { refusal } from "@/lib/access";
import { healthOf, systemOf } from "@/lib/machines";
import { toErrorRates, toMachines, toQueue, toRuns } from "@/lib/paths";
import { beginsOf, OPEN, queueOf } from "@/lib/queue";
import { counted } from "@/lib/units";
import { useNow } from "@/lib/useNow";
import { useTitle } from "@/lib/useTitle";
import { AgentSection } from "./components/AgentSection";
import { Drift } from "./components/Drift";
import { Surroundings } from "./components/Surroundings";
import { falseComparisonsText, machineSentence } from "./data";
import { REACHES } from "./search";

const route = getRouteApi("/$project/machines/$machine");

const RECENT_RUNS = 10;

export function MachinePage() {
  const { project, machine } = route.useParams();
  const { last = REACHES[0] } = route.useSearch();
  const { machines } = useSuspenseQuery(machinesQuery(project)).data;
  const { runs } = useSuspenseQuery(runsQuery(project, { machine })).data;
  const { data: canaries } = useQuery(canariesQuery(project, machine, last));
  const { data: jobs } = useQuery(jobsQuery(project, OPEN));
  const { data: errorRates } = useQuery(errorRatesQuery(project));
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: session } = useSuspenseQuery(sessionQuery);
  const now = useNow();
  useTitle(`${machine} of ${project}`);

  const summary = machines.find((entry) => entry.machine === machine);
  // The page is not opened for a machine that is not listed; one that goes while it is open takes the page with it.
  if (summary === undefined) return null;
  const readings = canaries?.readings ?? [];
  const { system, cpu } = systemOf(summary);
  const queue = queueOf(jobs?.jobs ?? []);
  const own = queue.filter((job) => job.machine === machine);
  const agent = agents.find((entry) => entry.machine === machine);
  const health = healthOf(summary, agent, readings, runs, now);
  const rates = errorRates?.machines.find((entry) => entry.machine === machine);
  return (
    <>
      <header>
        <nav aria-label="Breadcrumb">
          <ol className="breadcrumb">
            <li>
              <Link {...toMachines(project)}>Machines</Link>
            </li>
            <li>{machine}</li>
          </ol>
        </nav>
        <h1>{machineSentence(machine, health)}</h1>
        <p className="lede">
          {system}, {cpu}; {counted(summary.run_count, "run")} of {project}, the last{" "}
          <Ago moment={summary.last_run_at} />.
          {summary.lost_run_count > 0 && (
            <span className="warning">
              {" "}
              {counted(summary.lost_run_count, "run")} lost: acknowledged to the agent, and not in the
              database.
            </span>
          )}
        </p>
      </header>
      <AgentSection
        project={project}
        agent={agent}
        suspectBecause={summary.suspect_because}
        session={session}
      />
      <Drift />
      <Surroundings summary={summary} readings={readings} />
      <Section
        title="Queue"
        tools={
          <Link {...toQueue(project)} search={{ machine }}>
            All that it was asked for
          </Link>
        }
      >
        {own.length === 0 ? (
          <p className="muted">It measures nothing that was asked for, and nothing waits for it by name.</p>
        ) : (
          <OpenJobs
            label="Queue"
            project={project}
            jobs={own}
            begins={beginsOf(queue, agents, now)}
            mayCancel={refusal(session, project, "queue") === null}
            hasMachine={false}
          />
        )}
      </Section>
      <Section
        title="How often verdicts are wrong here"
        tools={<Link {...toErrorRates(project)}>By transport and scenario</Link>}
      >
        <Wrong share={rates?.false_comparisons} />
      </Section>
      <Section
        title="Recent runs"
        tools={
          <Link {...toRuns(project)} search={{ machine }}>
            All runs of {machine}
          </Link>
        }
      >
        {runs.length === 0 ? (
          <p className="muted">Nothing that it measured is kept any more.</p>
        ) : (
          <RunsTable label="Recent runs" runs={runs.slice(0, RECENT_RUNS)} />
        )}
      </Section>
    </>
  );
}

function Wrong({ share }: { share: CountedShare | undefined }) {
  const text = share === undefined ? null : falseComparisonsText(share);
  return text === null ? (
    <p className="muted">
      It was not counted yet: that takes runs with cases of twelve repetitions, and happens once in a while.
    </p>
  ) : (
    <p>{text}</p>
  );
}
