/** Texts about jobs, and the new-job form. Pure. */
import type { Attempt, Job, JobRequest } from "@/api/types";
import { namesTyped } from "@/lib/agents";

export function attemptText({ outcome, reason }: Pick<Attempt, "outcome" | "reason">): string {
  const words: Record<string, string> = {
    done: "measured",
    failed: "failed",
    released: "returned to the queue",
    lost: "lost: the agent stopped responding",
  };
  const word = words[outcome] ?? outcome;
  return reason === null || outcome === "lost" ? word : `${word}: ${reason}`;
}

/** The request that repeats a job; `null` for pull requests, which must stay out of trends. */
export function againOf(job: Job): JobRequest | null {
  if (job.pull_request !== null || job.is_fork) return null;
  return {
    commits: [job.commit_sha],
    ...(job.base_sha !== null && { base: job.base_sha }),
    ...(job.branch !== null && { branch: job.branch }),
    ...(job.preset !== null && { preset: job.preset }),
    ...(job.machine === null ? { on_any: true, labels: job.labels } : { machines: [job.machine] }),
  };
}

/** Which commits to measure. */
export const WHAT = { commits: "Single commits", range: "Unmeasured commits in a range" };

/** Where to run. */
export const WHERE = { all: "All machines", chosen: "Selected machines", any: "First free machine" };

export type JobDraft = {
  what: keyof typeof WHAT;
  commits: string;
  after: string;
  until: string;
  where: keyof typeof WHERE;
  machines: string[];
  labels: string;
  preset: string;
  base: string;
};

/** The request. A range ignores the list of commits, and the reverse. */
export function requestOf(draft: JobDraft): JobRequest {
  const base = draft.base.trim();
  const preset = draft.preset.trim();
  return {
    ...(draft.what === "commits"
      ? { commits: namesTyped(draft.commits) }
      : { after: draft.after.trim(), until: draft.until.trim() }),
    ...(draft.where === "chosen" && { machines: draft.machines }),
    ...(draft.where === "any" && { on_any: true }),
    ...(draft.where !== "chosen" && { labels: namesTyped(draft.labels) }),
    ...(preset !== "" && { preset }),
    ...(base !== "" && { base }),
  };
}

/** The first error in the form, with its field; `null` if it is valid. */
export function errorIn(draft: JobDraft): { name: string; text: string } | null {
  const isRange = draft.what === "range";
  const errors: [isWrong: boolean, name: string, text: string][] = [
    [!isRange && namesTyped(draft.commits).length === 0, "commits", "Enter at least one commit."],
    [isRange && draft.after.trim() === "", "after", "Enter the commit before the range."],
    [isRange && draft.until.trim() === "", "until", "Enter the last commit of the range."],
    [draft.where === "chosen" && draft.machines.length === 0, "machines", "Select at least one machine."],
    [isRange && draft.where === "any", "on_any", "A range needs selected machines or all machines."],
  ];
  const first = errors.find(([isWrong]) => isWrong);
  return first === undefined ? null : { name: first[1], text: first[2] };
}
