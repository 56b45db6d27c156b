/** From jobs to what their page says, and from what is typed to what is asked for. Pure. */
import type { Attempt, Job, JobRequest } from "@/api/types";
import { namesTyped } from "@/lib/agents";

export function attemptText({ outcome, reason }: Pick<Attempt, "outcome" | "reason">): string {
  const words: Record<string, string> = {
    done: "measured",
    failed: "failed",
    released: "given back",
    lost: "lost: the agent was not heard of any more",
  };
  const word = words[outcome] ?? outcome;
  return reason === null || outcome === "lost" ? word : `${word}: ${reason}`;
}

/**
 * The same once more; `null` for what a pull request brings: as an ordinary request it would be a part of trends, whatever
 * repository it comes from.
 */
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

/** Which commits: those that are typed, or all between two. */
export const WHAT = ["commits", "range"] as const;
export type What = (typeof WHAT)[number];

/** Where: everywhere, on some, or on the first that is free. */
export const WHERE = ["all", "chosen", "any"] as const;
export type Where = (typeof WHERE)[number];

export type Wish = {
  what: What;
  commits: string;
  after: string;
  until: string;
  where: Where;
  machines: string[];
  labels: string;
  preset: string;
  base: string;
};

/** What is asked for. Of a wish for a range the list of commits does not count, and the other way round. */
export function requestOf(wish: Wish): JobRequest {
  const base = wish.base.trim();
  const preset = wish.preset.trim();
  return {
    ...(wish.what === "commits"
      ? { commits: namesTyped(wish.commits) }
      : { after: wish.after.trim(), until: wish.until.trim() }),
    ...(wish.where === "chosen" && { machines: wish.machines }),
    ...(wish.where === "any" && { on_any: true }),
    ...(wish.where !== "chosen" && { labels: namesTyped(wish.labels) }),
    ...(preset !== "" && { preset }),
    ...(base !== "" && { base }),
  };
}

/** What is wrong with a wish before anybody is asked: the field, and how; `null` when nothing is. */
export function complaintOf(wish: Wish): { name: string; text: string } | null {
  const isRange = wish.what === "range";
  const complaints: [isWrong: boolean, name: string, text: string][] = [
    [!isRange && namesTyped(wish.commits).length === 0, "commits", "Expected at least one commit."],
    [isRange && wish.after.trim() === "", "after", "Expected the commit that the range follows."],
    [isRange && wish.until.trim() === "", "until", "Expected the last commit of the range."],
    [wish.where === "chosen" && wish.machines.length === 0, "machines", "Expected at least one machine."],
    [isRange && wish.where === "any", "on_any", "A range is of one machine: choose machines, or every one."],
  ];
  const first = complaints.find(([isWrong]) => isWrong);
  return first === undefined ? null : { name: first[1], text: first[2] };
}
