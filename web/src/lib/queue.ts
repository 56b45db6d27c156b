/** Jobs: order, reason, estimated start and result. Pure. */
import type { AgentSummary, Job } from "@/api/types";
import { labelsText } from "./agents";
import { ascending } from "./collections";
import { shortSha } from "./commits";
import { formatSpan } from "./time";
import { inWords } from "./units";

/** The request for running and queued jobs. */
export const OPEN = { done: false, limit: 1000 };

export const FINISHED = { done: true, limit: 50 };

/** The statuses of a job. */
export const STATUSES = ["running", "queued", "done", "failed", "cancelled"] as const;
export type Status = (typeof STATUSES)[number];

/** Running jobs by start, then queued jobs by estimated start, those without an estimate last. */
export function queueOf(jobs: readonly Job[]): Job[] {
  const key = ({ status, started_at, starts_at }: Job) =>
    status === "running" ? `0 ${started_at ?? ""}` : starts_at === null ? "2" : `1 ${starts_at}`;
  return jobs
    .filter(({ done_at }) => done_at === null)
    .sort((a, b) => ascending(key(a), key(b)) || ascending(a.job_id, b.job_id));
}

/** The estimated start of a queued job. `blocked`: not until something changes. */
export type Begin = { kind: "time" | "blocked" | "unknown"; text: string };

/** The start of each queued job, from the server's estimate and the state of the agents. */
export function beginsOf(
  queue: readonly Job[],
  agents: readonly AgentSummary[],
  now: Date,
): Map<number, Begin> {
  const taken = new Set<string>();
  const begins = new Map<number, Begin>();
  for (const job of queue.filter(({ status }) => status === "queued")) {
    const takers = agents.filter((agent) => takes(agent, job));
    const isNext = takers.every(({ machine }) => !taken.has(machine));
    begins.set(job.job_id, beginOf(job, takers, isNext, now));
    for (const { machine } of takers) taken.add(machine);
  }
  return begins;
}

function takes({ machine, labels }: AgentSummary, job: Job): boolean {
  return job.machine === null ? job.labels.every((label) => labels.includes(label)) : job.machine === machine;
}

function beginOf(job: Job, takers: readonly AgentSummary[], isNext: boolean, now: Date): Begin {
  const blocked = (text: string): Begin => ({ kind: "blocked", text });
  if (takers.length === 0) return blocked(noTaker(job));
  const enabled = takers.filter(({ is_enabled }) => is_enabled);
  if (enabled.length === 0) return blocked(`waiting for ${namesOf(takers)} to be enabled`);
  const fit = enabled.filter(({ failing }) => failing.length === 0);
  if (fit.length === 0) return blocked(`waiting for ${namesOf(enabled)} to recover`);
  const heard = fit.filter(({ is_online }) => is_online);
  if (heard.length === 0) return blocked(`waiting for ${namesOf(fit)} to come online`);
  const wait_ms = job.starts_at === null ? null : new Date(job.starts_at).getTime() - now.getTime();
  if (wait_ms !== null && wait_ms >= SOON_MS)
    return { kind: "time", text: `in about ${formatSpan(wait_ms)}` };
  const isBusy = heard.every(({ is_busy }) => is_busy);
  if (isBusy && (isNext || wait_ms !== null)) {
    return { kind: "time", text: `when ${namesOf(heard)} is free` };
  }
  if (wait_ms !== null || isNext) return { kind: "time", text: "soon" };
  return { kind: "unknown", text: "unknown: no earlier job" };
}

/** Shorter waits are shown as `soon`. */
const SOON_MS = 30_000;

function noTaker({ machine, labels }: Job): string {
  if (machine !== null) return `no agent on ${machine}`;
  return labels.length === 0 ? "no agents" : `no agent has ${labelsText(labels)}`;
}

function namesOf(agents: readonly AgentSummary[]): string {
  const names = agents.map(({ machine }) => machine);
  return names.length <= 2 ? names.join(" or ") : `one of ${inWords(names.length)} machines`;
}

/** A machine's jobs: `measuring 4c1d9e0, 2 queued`; `null` if there are none. */
export function queueText(queue: readonly Job[], machine: string): string | null {
  const own = queue.filter((job) => job.machine === machine);
  const running = own.find(({ status }) => status === "running");
  const waiting = own.filter(({ status }) => status === "queued").length;
  const parts = [
    ...(running === undefined ? [] : [`measuring ${shortSha(running.commit_sha)}`]),
    ...(waiting === 0 ? [] : [`${waiting} queued`]),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}

export function queueSentence(queue: readonly Job[]): string {
  const running = queue.filter(({ status }) => status === "running").length;
  const waiting = queue.length - running;
  return running + waiting === 0 ? "No jobs" : `${running} running, ${waiting} queued`;
}

/** The machine of a job, or the labels that it requires. */
export function placeText({ machine, labels }: Pick<Job, "machine" | "labels">): string {
  if (machine !== null) return machine;
  return labels.length === 0 ? "any machine" : `any machine with ${labelsText(labels)}`;
}

export function jobSentence(job: Job, begin: Begin | undefined): string {
  const sha = shortSha(job.commit_sha);
  const name = `${sha} on ${placeText(job)}`;
  if (job.status === "failed") return `${name}: failed${job.failure === null ? "" : `, ${job.failure}`}`;
  if (job.status !== "queued" || begin === undefined) return `${name}: ${job.status}`;
  if (begin.kind === "time") return `${name}: queued, starts ${begin.text}`;
  return begin.kind === "blocked"
    ? `${name}: blocked, ${begin.text}`
    : `${name}: queued, start ${begin.text}`;
}

const REASONS: Record<string, string> = {
  push: "push",
  schedule: "scheduled",
  request: "requested",
  "pull-request": "pull request",
  backfill: "backfill",
  bisect: "bisection",
  repeat: "confirmation run",
  confirm: "confirmation of a suspected commit",
};

export function reasonText(reason: string): string {
  return REASONS[reason] ?? reason;
}

/** The requester: an account by name, others by kind. */
export function requesterText(requested_by: string | null): string {
  if (requested_by === null) return "the server";
  const [kind, name] = requested_by.split(":");
  return kind === "account" && name !== undefined ? name : requested_by.replace(":", " ");
}
