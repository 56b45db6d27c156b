/** The machines of a project: health, jobs, and enrolment of new ones. */
import { type UseQueryResult, useQueries, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { agentsQuery, machineHistoryQuery, machinesQuery, runsQuery, sessionQuery } from "@/api/queries";
import type { EnrolmentCode, EnrolmentRequest, Job, MachineHistory, SessionInfo } from "@/api/types";
import { createEnrolment } from "@/api/writes";
import {
  Allowed,
  Form,
  type FormValues,
  LabelsField,
  ProjectField,
  Secret,
  TextField,
} from "@/components/form";
import { MachineState } from "@/components/MachineState";
import { TextButton } from "@/components/ui/controls";
import { Section, Skeleton } from "@/components/ui/states";
import { numeric, RowTable, rowHead, unseen } from "@/components/ui/Table";
import { Ago, CommandLine, StateMark } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { contactOf, fitnessOf, namesTyped, workOf } from "@/lib/agents";
import { lowerFirst } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { useChange, useNow, useTitle } from "@/lib/hooks";
import { LOST_NOTE, osName, systemOf } from "@/lib/machines";
import { toJob, toMachine, toQueue } from "@/lib/paths";
import { queueSentence } from "@/lib/queue";
import { isSite } from "@/lib/site";
import { formatClock } from "@/lib/time";
import { counted, formatCount } from "@/lib/units";
import { useFleet } from "@/lib/useFleet";
import { AgentActions, mayManage } from "./AgentActions";
import { fleetSentence, type Member, membersOf } from "./data";
import { cellsOf, detectableText, newestDetectable } from "./history";
import { StateStrip } from "./StateStrip";

const route = getRouteApi("/$project/machines");

export function MachinesPage() {
  const { project } = route.useParams();
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const { runs } = useSuspenseQuery(runsQuery(project, {})).data;
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { healths, queue } = useFleet(project, machines, runs);
  useTitle(`Machines of ${project}`);
  const answers = useQueries({
    queries: machines.map(({ machine }) => machineHistoryQuery(project, machine)),
  });
  const histories = new Map(machines.map(({ machine }, index) => [machine, answers[index]]));
  const members = membersOf(machines, agents, healths);
  return (
    <>
      <header>
        <h1>{fleetSentence(members)}</h1>
        {!isSite() && (
          <p className="lede">
            <Link {...toQueue(project)}>Queue</Link>: {lowerFirst(queueSentence(queue))}. Suspect machines
            send no alerts; failing machines get no jobs.
          </p>
        )}
      </header>
      <Section title="Machines">
        {members.length === 0 ? (
          <p className="muted">No machines</p>
        ) : (
          <MachineTable
            project={project}
            members={members}
            histories={histories}
            queue={queue}
            session={session}
          />
        )}
        {machines.some(({ lost_run_count }) => lost_run_count > 0) && (
          <p className="section-note">{LOST_NOTE}</p>
        )}
      </Section>
      {!isSite() && (
        <Section title="Add machine">
          <Allowed session={session} project={project} action="manage-tokens" what="manage machines">
            <AddMachine project={project} session={session} />
          </Allowed>
        </Section>
      )}
    </>
  );
}

type Props = { project: string; session: SessionInfo };

function AddMachine({ project, session }: Props) {
  const [made, setMade] = useState<EnrolmentCode | null>(null);
  const making = useChange(createEnrolment, [], setMade);
  if (made !== null) return <Made made={made} onDone={() => setMade(null)} />;
  return (
    <Form
      label="Add machine"
      submit="Create enrolment code"
      change={making}
      onSubmit={(typed) => making.mutate(requestOf(typed, project))}
    >
      <p>For one agent, within 10 minutes.</p>
      <TextField
        label="Machine"
        name="machine"
        note="Replaces the agent of this machine. Empty: any machine without one."
        placeholder="any"
      />
      <LabelsField of="agent" />
      {refusal(session, project, "run-server") === null && <ProjectField label="Project" project={project} />}
    </Form>
  );
}

function Made({ made: { code, expires_at }, onDone }: { made: EnrolmentCode; onDone: () => void }) {
  const ends = new Date(expires_at);
  const isOver = useNow() >= ends;
  return (
    <Secret title="Enrolment code" secret={code} onDone={onDone}>
      <p className={isOver ? "warning" : undefined}>
        {isOver ? "Expired at" : "Valid until"} {formatClock(ends)}
      </p>
      <p>On the machine, run this and enter the code:</p>
      <CommandLine command={`roundtrip enrol --server ${window.location.origin}`} />
      <p>Then start the agent:</p>
      <CommandLine command="roundtrip agent" />
      <p>Or install it as a service:</p>
      <CommandLine command="sudo roundtrip service install" />
    </Secret>
  );
}

function requestOf({ text, has }: FormValues, project: string): EnrolmentRequest {
  const bound = has("project") ? text("project") : project;
  return {
    labels: namesTyped(text("labels")),
    ...(bound !== "" && { project: bound }),
    ...(text("machine") !== "" && { machine: text("machine") }),
  };
}

type Histories = ReadonlyMap<string, UseQueryResult<MachineHistory> | undefined>;

type MachineTableProps = {
  project: string;
  members: Member[];
  histories: Histories;
  queue: Job[];
  session: SessionInfo;
};

/** All machines with their contact, work, health and current job. Without an agent, runs count. */
function MachineTable({ project, members, histories, queue, session }: MachineTableProps) {
  const now = useNow();
  const isManaged = members.some(({ agent }) => agent !== null && mayManage(session, project, agent));
  const hasLab = !isSite();
  const mutedWithout = ({ agent }: Member) => ({ className: agent === null ? "muted" : undefined });
  return (
    <RowTable
      label="Machines"
      rows={members}
      keyOf={({ machine }) => machine}
      columns={[
        [
          rowHead("Machine"),
          (member) => (
            <>
              {member.summary === null ? (
                member.machine
              ) : (
                <Link {...toMachine(project, member.machine)}>{member.machine}</Link>
              )}
              <span className="line muted">{hardwareText(member)}</span>
            </>
          ),
        ],
        [
          "Last year",
          ({ machine, summary }) => summary !== null && <Strip query={histories.get(machine)} />,
          "state-cell",
        ],
        [
          {
            name: "Detects",
            className: "number",
            title: "Smallest slowdown that two runs show, median case, 90 % power",
          },
          ({ machine }) => {
            const days = histories.get(machine)?.data?.days;
            return days === undefined ? null : detectableText(newestDetectable(days));
          },
        ],
        !hasLab && ["Last run", ({ summary }) => summary !== null && <Ago moment={summary.last_run_at} />],
        hasLab && [
          "Contact",
          ({ agent, summary }) =>
            agent === null ? (
              <>
                no agent
                {summary !== null && (
                  <span className="line">
                    last run <Ago moment={summary.last_run_at} />
                  </span>
                )}
              </>
            ) : (
              <>
                <StateMark state={contactOf(agent, now)} />
                {agent.spooled_count > 0 && (
                  <span className="line muted">{counted(agent.spooled_count, "report")} pending</span>
                )}
              </>
            ),
          mutedWithout,
        ],
        hasLab && [
          "Work",
          ({ agent }) => (agent === null ? "self-scheduled" : <StateMark state={workOf(agent)} />),
          mutedWithout,
        ],
        [
          "Health",
          ({ agent, summary, health }) =>
            agent === null ? (
              health !== null && <MachineState health={health} />
            ) : (
              <StateMark state={fitnessOf(agent, summary?.suspect_because ?? null)} />
            ),
          "brief",
        ],
        hasLab && ["Current job", (member) => <CurrentJob project={project} queue={queue} {...member} />],
        hasLab && [
          "Agent",
          ({ agent }) =>
            agent === null ? (
              "none"
            ) : (
              <>
                {agent.version ?? "unknown version"}
                {agent.labels.length > 0 && <span className="line">{agent.labels.join(", ")}</span>}
              </>
            ),
          "muted",
        ],
        [
          numeric("Runs"),
          ({ summary }) =>
            summary === null ? (
              <span className="muted">none yet</span>
            ) : (
              <>
                {formatCount(summary.run_count)}
                {summary.lost_run_count > 0 && (
                  <span className="line warning">{formatCount(summary.lost_run_count)} lost</span>
                )}
              </>
            ),
        ],
        isManaged && [
          unseen("Manage"),
          ({ agent }) =>
            agent !== null && <AgentActions {...{ project, agent, session }} className="tools-stacked" />,
          "number",
        ],
      ]}
    />
  );
}

function Strip({ query }: { query: UseQueryResult<MachineHistory> | undefined }) {
  if (query?.data !== undefined) return <StateStrip cells={cellsOf(query.data.days, [])} width={180} />;
  if (query?.error == null) return <Skeleton height="1.5rem" />;
  return (
    <>
      <span className="warning">Not loaded</span>{" "}
      <TextButton onClick={() => void query.refetch()}>Try again</TextButton>
    </>
  );
}

function hardwareText({ summary, agent }: Member): string {
  if (summary !== null) {
    const { system, cpu } = systemOf(summary);
    return `${system}, ${cpu}`;
  }
  return agent === null ? "" : `${osName(agent.os)}, ${agent.arch}`;
}

type CurrentJobProps = { project: string; queue: Job[] } & Pick<Member, "machine" | "agent">;

/** The current job of a machine, if it is for this project, and its queued jobs. */
function CurrentJob({ project, machine, agent, queue }: CurrentJobProps) {
  const running = queue.find((job) => job.job_id === agent?.job_id);
  const waiting = queue.filter((job) => job.machine === machine && job.status === "queued").length;
  return (
    <>
      {agent?.job_id != null ? (
        <Link {...toJob(project, agent.job_id)}>
          {running === undefined ? `job ${agent.job_id}` : <code>{shortSha(running.commit_sha)}</code>}
        </Link>
      ) : (
        <span className="muted">{agent?.is_busy === true ? "another project" : "idle"}</span>
      )}
      {waiting > 0 && (
        <span className="line">
          <Link {...toQueue(project)} search={{ machine }}>
            {waiting} queued
          </Link>
        </span>
      )}
    </>
  );
}
