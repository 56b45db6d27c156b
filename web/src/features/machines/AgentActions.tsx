/** Actions on an agent: enable, disable, label, remove. */
import { useState } from "react";
import type { AgentChange, AgentSummary, SessionInfo } from "@/api/types";
import { changeAgent, revokeAgent } from "@/api/writes";
import { Confirm, Form, FormError, LabelsField } from "@/components/form";
import { Button, TextButton } from "@/components/ui/controls";
import { Modal } from "@/components/ui/Modal";
import { refusal } from "@/lib/access";
import { namesTyped, removalText } from "@/lib/agents";
import { useChange } from "@/lib/hooks";

/** Agents for any project are managed by server administrators. */
export function mayManage(session: SessionInfo, project: string, agent: AgentSummary): boolean {
  return refusal(session, project, agent.project === null ? "run-server" : "manage-tokens") === null;
}

/** Queries to refetch after a change: agents, and start times of jobs. */
const OLD = ["/api/v1/projects/{project}/agents", "/api/v1/projects/{project}/jobs"] as const;

type Props = { project: string; agent: AgentSummary; session: SessionInfo; className?: string };

export function AgentActions({ project, agent, session, className = "tools" }: Props) {
  const [isLabelling, setIsLabelling] = useState(false);
  const changing = useChange((change: AgentChange) => changeAgent(agent.agent_id, change), OLD);
  const revoking = useChange(() => revokeAgent(agent.agent_id), OLD);
  if (!mayManage(session, project, agent)) return null;
  const { machine, is_enabled } = agent;
  const isBusy = changing.isPending || revoking.isPending;
  const label = is_enabled ? "Disable" : "Enable";
  return (
    <>
      <span className={className}>
        <TextButton
          aria-label={`${label} ${machine}`}
          title={is_enabled && agent.is_busy ? "Finishes its job first" : undefined}
          disabled={isBusy}
          onClick={() => changing.mutate({ is_enabled: !is_enabled })}
        >
          {label}
        </TextButton>
        <TextButton
          aria-label={`Labels of ${machine}`}
          disabled={isBusy}
          onClick={() => setIsLabelling(true)}
        >
          Labels
        </TextButton>
        <Confirm
          label="Remove"
          name={`Remove ${machine}`}
          question={`Remove the agent of ${machine}?`}
          isBusy={isBusy}
          onConfirm={() => revoking.mutate(undefined)}
        >
          {removalText(agent)}
        </Confirm>
      </span>
      <FormError error={changing.error ?? revoking.error} />
      {isLabelling && <Labels agent={agent} onClosed={() => setIsLabelling(false)} />}
    </>
  );
}

function Labels({ agent, onClosed }: { agent: AgentSummary; onClosed: () => void }) {
  const saving = useChange((labels: string[]) => changeAgent(agent.agent_id, { labels }), OLD, onClosed);
  return (
    <Modal label={`Labels of ${agent.machine}`} className="confirm" onClosed={onClosed}>
      <p className="strong">Labels of {agent.machine}</p>
      <Form
        submit="Save"
        change={saving}
        outcome={<Button onClick={onClosed}>Cancel</Button>}
        onSubmit={({ text }) => saving.mutate(namesTyped(text("labels")))}
      >
        <LabelsField of="agent" defaultValue={agent.labels.join(", ")} />
      </Form>
    </Modal>
  );
}
