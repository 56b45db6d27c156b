/** The machines of a project: how they are, what each does, and how another one joins them. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { agentsQuery } from "@/api/labQueries";
import { machinesQuery, runsQuery, sessionQuery } from "@/api/queries";
import { NotAllowed } from "@/components/form/NotAllowed";
import { Section } from "@/components/ui/Section";
import { refusal } from "@/lib/access";
import { toQueue } from "@/lib/paths";
import { queueSentence } from "@/lib/queue";
import { useFleet } from "@/lib/useFleet";
import { useTitle } from "@/lib/useTitle";
import { AddMachine } from "./components/AddMachine";
import { MachineTable } from "./components/MachineTable";
import { fleetSentence, membersOf } from "./data";

const route = getRouteApi("/$project/machines");

export function MachinesPage() {
  const { project } = route.useParams();
  const { machines } = useSuspenseQuery(machinesQuery(project)).data;
  const { runs } = useSuspenseQuery(runsQuery(project, {})).data;
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { healths, queue } = useFleet(project, machines, runs);
  useTitle(`Machines of ${project}`);
  const members = membersOf(machines, agents, healths);
  return (
    <>
      <header>
        <h1>{fleetSentence(members)}</h1>
        <p className="lede">
          {queueSentence(queue)} <Link {...toQueue(project)}>The queue</Link>. What a suspect machine measures
          is kept, and nobody is alerted of it; a failing one is given no work until it says that it can
          measure again.
        </p>
      </header>
      <Section title="Machines">
        {members.length === 0 ? (
          <p className="muted">None has measured {project}, and none has an agent.</p>
        ) : (
          <MachineTable project={project} members={members} queue={queue} session={session} />
        )}
        {machines.some(({ lost_run_count }) => lost_run_count > 0) && (
          <p className="section-note">
            Lost: acknowledged to the agent, and not in the database, as when that was restored from a backup.
          </p>
        )}
      </Section>
      <Section title="Add a machine">
        {refusal(session, project, "manage-tokens") === null ? (
          <AddMachine project={project} session={session} />
        ) : (
          <NotAllowed
            session={session}
            project={project}
            action="manage-tokens"
            what="add machines, and say which are given work"
          />
        )}
      </Section>
    </>
  );
}
