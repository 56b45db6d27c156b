/** Every machine: what it is, whether it is heard of, given work and fit for it, and what it does. */
import { Link } from "@tanstack/react-router";
import type { Job, SessionInfo } from "@/api/types";
import { MachineState } from "@/components/MachineState";
import { Ago } from "@/components/ui/Ago";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { StateMark } from "@/components/ui/StateMark";
import { contactOf, fitnessOf, workOf } from "@/lib/agents";
import { osName, systemOf } from "@/lib/machines";
import { toMachine } from "@/lib/paths";
import { counted, formatCount } from "@/lib/units";
import { useNow } from "@/lib/useNow";
import type { Member } from "../data";
import { AgentActions, mayManage } from "./AgentActions";
import { Doing } from "./Doing";

type Props = { project: string; members: Member[]; queue: Job[]; session: SessionInfo };

export function MachineTable({ project, members, queue, session }: Props) {
  const isManaged = members.some(({ agent }) => agent !== null && mayManage(session, project, agent));
  return (
    <ScrollRegion label="Machines">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">machine</th>
            <th scope="col">contact</th>
            <th scope="col">work</th>
            <th scope="col">health</th>
            <th scope="col">measures now</th>
            <th scope="col">agent</th>
            <th scope="col" className="number">
              runs
            </th>
            {isManaged && (
              <th scope="col">
                <span className="unseen">manage</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <Row key={member.machine} {...{ project, member, queue, session, isManaged }} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

type RowProps = {
  project: string;
  member: Member;
  queue: Job[];
  session: SessionInfo;
  isManaged: boolean;
};

function Row({ project, member, queue, session, isManaged }: RowProps) {
  const { machine, summary, agent } = member;
  return (
    <tr>
      <th scope="row">
        {summary === null ? machine : <Link {...toMachine(project, machine)}>{machine}</Link>}
        <span className="line muted">{whatItIs(member)}</span>
      </th>
      <States member={member} />
      <td>
        <Doing project={project} machine={machine} agent={agent} queue={queue} />
      </td>
      <td className="muted">
        {agent === null ? (
          "none"
        ) : (
          <>
            {agent.version ?? "of no version that is known"}
            {agent.labels.length > 0 && <span className="line">{agent.labels.join(", ")}</span>}
          </>
        )}
      </td>
      <td className="number">
        {summary === null ? <span className="muted">none yet</span> : formatCount(summary.run_count)}
        {summary !== null && summary.lost_run_count > 0 && (
          <span className="line warning">{formatCount(summary.lost_run_count)} lost</span>
        )}
      </td>
      {isManaged && (
        <td className="number">
          {agent !== null && (
            <AgentActions project={project} agent={agent} session={session} className="tools-stacked" />
          )}
        </td>
      )}
    </tr>
  );
}

function States({ member: { summary, agent, health } }: { member: Member }) {
  const now = useNow();
  if (agent === null) {
    return (
      <>
        <td className="muted">
          no agent
          {summary !== null && (
            <span className="line">
              last run <Ago moment={summary.last_run_at} />
            </span>
          )}
        </td>
        <td className="muted">of its own accord</td>
        <td className="brief">{health !== null && <MachineState health={health} />}</td>
      </>
    );
  }
  return (
    <>
      <td>
        <StateMark state={contactOf(agent, now)} />
        {agent.spooled_count > 0 && (
          <span className="line muted">{counted(agent.spooled_count, "report")} wait on it</span>
        )}
      </td>
      <td>
        <StateMark state={workOf(agent)} />
      </td>
      <td className="brief">
        <StateMark state={fitnessOf(agent, summary?.suspect_because ?? null)} />
      </td>
    </>
  );
}

function whatItIs({ summary, agent }: Member): string {
  if (summary !== null) {
    const { system, cpu } = systemOf(summary);
    return `${system}, ${cpu}`;
  }
  return agent === null ? "" : `${osName(agent.os)}, ${agent.arch}`;
}
