/** What machines are asked to measure: in which order, why, when it begins and what became of it. Pure. */
import type { AgentSummary, Job } from "@/api/types";
import { labelsText } from "./agents";
import { ascending } from "./collections";
import { shortSha } from "./commits";
import { formatSpan } from "./time";
import { inWords, upperFirst } from "./units";

/** What is asked for to know what runs and waits: as much of it as one answer holds. */
export const OPEN = { done: false, limit: 1000 };

export const OVER = { done: true, limit: 50 };

/** What a job can be, in the order in which it becomes that. */
export const STATUSES = ["running", "queued", "done", "failed", "cancelled"] as const;
export type Status = (typeof STATUSES)[number];

/** Those that run, as they were taken, then those that wait, as they begin; last those of which that is not known. */
export function queueOf(jobs: readonly Job[]): Job[] {
  const key = ({ status, started_at, starts_at }: Job) =>
    status === "running" ? `0 ${started_at ?? ""}` : starts_at === null ? "2" : `1 ${starts_at}`;
  return jobs
    .filter(({ done_at }) => done_at === null)
    .sort((a, b) => ascending(key(a), key(b)) || ascending(a.job_id, b.job_id));
}

/** When a waiting job begins: at a time, at none as things are, or nobody knows. */
export type Begin = { kind: "time" | "blocked" | "unknown"; text: string };

/** When each job of a queue that waits begins, as the server estimates it, and as its agents are. */
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
  if (takers.length === 0) return blocked(`no machine takes it: ${noTaker(job)}`);
  const enabled = takers.filter(({ is_enabled }) => is_enabled);
  if (enabled.length === 0) return blocked(`not before ${namesOf(takers)} is enabled again`);
  const fit = enabled.filter(({ failing }) => failing.length === 0);
  if (fit.length === 0) return blocked(`not while ${namesOf(enabled)} is failing`);
  const heard = fit.filter(({ is_online }) => is_online);
  if (heard.length === 0) return blocked(`not before ${namesOf(fit)} is online again`);
  const wait_ms = job.starts_at === null ? null : new Date(job.starts_at).getTime() - now.getTime();
  if (wait_ms !== null && wait_ms >= SOON_MS)
    return { kind: "time", text: `in about ${formatSpan(wait_ms)}` };
  const isBusy = heard.every(({ is_busy }) => is_busy);
  if (isBusy && (isNext || wait_ms !== null)) {
    return { kind: "time", text: `as soon as ${namesOf(heard)} is free` };
  }
  if (wait_ms !== null || isNext) return { kind: "time", text: "at any moment" };
  return { kind: "unknown", text: "not known: nobody has measured this here yet" };
}

/** A shorter wait than this is none that can be estimated. */
const SOON_MS = 30_000;

function noTaker({ machine, labels }: Job): string {
  if (machine !== null) return `${machine} has no agent`;
  return labels.length === 0 ? "there is no agent" : `none has ${labelsText(labels)}`;
}

function namesOf(agents: readonly AgentSummary[]): string {
  const names = agents.map(({ machine }) => machine);
  return names.length <= 2 ? names.join(" or ") : `one of ${inWords(names.length)} machines`;
}

/** What a machine measures and what waits for it: `measuring 4c1d9e0, 2 queued`; `null` when it is neither. */
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
  if (running + waiting === 0) return "Nothing is being measured, and nothing waits.";
  const runs =
    running === 0
      ? "Nothing is being measured"
      : `${upperFirst(inWords(running))} ${running === 1 ? "commit is" : "commits are"} being measured`;
  const waits = waiting === 0 ? "nothing waits" : `${inWords(waiting)} ${waiting === 1 ? "waits" : "wait"}`;
  return `${runs}, ${running === 0 ? "but" : "and"} ${waits}.`;
}

/** Where a job is measured: its machine, or what that must have. */
export function placeText({ machine, labels }: Pick<Job, "machine" | "labels">): string {
  if (machine !== null) return machine;
  return labels.length === 0 ? "any machine" : `any machine with ${labelsText(labels)}`;
}

export function jobSentence(job: Job, begin: Begin | undefined): string {
  const sha = shortSha(job.commit_sha);
  const on = `on ${placeText(job)}`;
  if (job.status === "running") return `${sha} is being measured ${on}.`;
  if (job.status === "done") return `${sha} was measured ${on}.`;
  if (job.status === "cancelled") return `The measurement of ${sha} ${on} was cancelled.`;
  if (job.status === "failed") {
    return `${sha} could not be measured ${on}${job.failure === null ? "" : `: ${job.failure}`}.`;
  }
  const waits = `${sha} waits to be measured ${on}`;
  if (begin === undefined) return `${waits}.`;
  if (begin.kind === "time") return `${waits}, and begins ${begin.text}.`;
  return begin.kind === "blocked" ? `${waits}: ${begin.text}.` : `${waits}. When it begins is ${begin.text}.`;
}

const REASONS: Record<string, string> = {
  push: "it was pushed",
  schedule: "its time had come",
  request: "somebody asked for it",
  "pull-request": "a pull request brings it",
  backfill: "every commit of the range is measured",
  bisect: "it halves the range of commits",
  repeat: "measured again, because once does not tell",
};

export function reasonText(reason: string): string {
  return REASONS[reason] ?? reason;
}

/** Who asked: an account by its name, others by what they are. */
export function askerText(requested_by: string | null): string {
  if (requested_by === null) return "the server";
  const [kind, name] = requested_by.split(":");
  return kind === "account" && name !== undefined ? name : requested_by.replace(":", " ");
}
