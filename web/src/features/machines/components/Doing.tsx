/** What a machine measures, as far as that is of this project, and how much waits for it. */
import { Link } from "@tanstack/react-router";
import type { AgentSummary, Job } from "@/api/types";
import { shortSha } from "@/lib/commits";
import { toJob, toQueue } from "@/lib/paths";

type Props = { project: string; machine: string; agent: AgentSummary | null; queue: Job[] };

export function Doing({ project, machine, agent, queue }: Props) {
  const running = queue.find((job) => job.job_id === agent?.job_id);
  const waiting = queue.filter((job) => job.machine === machine && job.status === "queued").length;
  return (
    <>
      {agent?.job_id != null ? (
        <Link {...toJob(project, agent.job_id)}>
          {running === undefined ? `job ${agent.job_id}` : <code>{shortSha(running.commit_sha)}</code>}
        </Link>
      ) : (
        <span className="muted">{agent?.is_busy === true ? "another project" : "nothing"}</span>
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
