/** The machines of a project, how they are, and what they are asked to measure. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { jobsQuery, machinesQuery, runsQuery } from "@/api/queries";
import { Section } from "@/components/ui/Section";
import { DONE, WAITING } from "@/lib/queue";
import { useFleet } from "@/lib/useFleet";
import { useTitle } from "@/lib/useTitle";
import { DoneJobs } from "./components/DoneJobs";
import { MachineTable } from "./components/MachineTable";
import { Queue } from "./components/Queue";
import { fleetSentence } from "./data";

const route = getRouteApi("/$project/machines");

export function MachinesPage() {
  const { project } = route.useParams();
  const { machines } = useSuspenseQuery(machinesQuery(project)).data;
  const { runs } = useSuspenseQuery(runsQuery(project, {})).data;
  const { data: waiting } = useSuspenseQuery(jobsQuery(project, WAITING));
  const { data: done } = useQuery(jobsQuery(project, DONE));
  const { healths, paces, queue } = useFleet(project, machines, runs);
  useTitle(`Machines of ${project}`);
  return (
    <>
      <header>
        <h1>{fleetSentence(healths)}</h1>
        <p className="lede">
          Suspect is a machine that made changes by itself, silent one of which nothing was heard for three
          times as long as usual. What a suspect one measures is kept, and nobody is alerted of it.
        </p>
      </header>
      <Section title="Machines">
        <MachineTable project={project} machines={machines} healths={healths} queue={queue} />
        {machines.some(({ lost_run_count }) => lost_run_count > 0) && (
          <p className="section-note">
            Lost: acknowledged to the agent, and not in the database, as when that was restored from a backup.
          </p>
        )}
      </Section>
      <Section title="Queue">
        <Queue project={project} queue={queue} paces={paces} />
        {waiting.next_after !== null && (
          <p className="section-note">These are the newest 1,000; older ones are before them.</p>
        )}
      </Section>
      {done !== undefined && done.jobs.length > 0 && (
        <Section title="Measured on request">
          <DoneJobs project={project} jobs={done.jobs} />
        </Section>
      )}
    </>
  );
}
