/** The agent of one machine: its three states, what it has, and what can be done with it. */
import type { AgentSummary, SessionInfo } from "@/api/types";
import { Facts } from "@/components/ui/Facts";
import { Section } from "@/components/ui/Section";
import { StateMark } from "@/components/ui/StateMark";
import { contactOf, fitnessOf, workOf } from "@/lib/agents";
import { formatDay } from "@/lib/time";
import { formatCount } from "@/lib/units";
import { useNow } from "@/lib/useNow";
import { AgentActions, mayManage } from "./AgentActions";

type Props = {
  project: string;
  agent: AgentSummary | undefined;
  suspectBecause: string | null;
  session: SessionInfo;
};

export function AgentSection({ project, agent, suspectBecause, session }: Props) {
  const now = useNow();
  if (agent === undefined) {
    return (
      <Section title="Agent">
        <p className="muted">
          It has none that takes work from here: what it measures, it decides by itself.
        </p>
      </Section>
    );
  }
  const isManaged = mayManage(session, project, agent);
  return (
    <Section
      title="Agent"
      tools={isManaged && <AgentActions project={project} agent={agent} session={session} />}
    >
      <Facts
        wide
        facts={[
          { name: "contact", value: <StateMark state={contactOf(agent, now)} /> },
          { name: "work", value: <StateMark state={workOf(agent)} /> },
          { name: "health", value: <StateMark state={fitnessOf(agent, suspectBecause)} /> },
          { name: "labels", value: agent.labels.join(", ") || <span className="muted">none</span> },
          { name: "works for", value: agent.project ?? "any project" },
          { name: "reports waiting on it", value: formatCount(agent.spooled_count) },
          { name: "version", value: agent.version ?? <span className="muted">not known</span> },
          { name: "let in", value: formatDay(agent.enrolled_at) },
        ]}
      />
    </Section>
  );
}
