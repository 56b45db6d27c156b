/** What machines are asked to measure: in which order, why, and how long that takes them. Pure. */
import type { Job, RunSummary } from "@/api/types";
import { ascending, groupBy } from "./collections";
import { isImport } from "./imports";
import { median } from "./statistics";
import { formatSpan } from "./time";
import { counted } from "./units";

/** What is asked for to know what waits: as much of it as one answer holds. */
export const WAITING = { done: false, limit: 1000 };

/** What is asked for to know what was done lately. */
export const DONE = { done: true, limit: 10 };

/** How long a machine's runs take: the basis of every estimate. */
export type Pace = { median_ms: number; run_count: number };

/** A waiting job, how many of its machine are before it, and when it is about to be done. */
export type Waiting = { job: Job; ahead: number; estimate_ms: number | null };

/** Runs of a machine that an estimate rests on. */
const RUNS_MAX = 20;

/** The pace of each machine, from its newest runs, which stand first; what was imported took the machine nothing. */
export function pacesOf(runs: readonly RunSummary[]): Map<string, Pace> {
  const measured = groupBy(
    runs.filter((run) => !isImport(run)),
    ({ machine }) => machine,
  );
  return new Map(
    [...measured].flatMap(([machine, ofMachine]) => {
      const newest = ofMachine.slice(0, RUNS_MAX);
      const median_ms = median(newest.map(durationOf));
      return median_ms === null ? [] : [[machine, { median_ms, run_count: newest.length }] as const];
    }),
  );
}

/** Those that wait, by machine, the oldest first: that is the order in which they are measured. */
export function queueOf(jobs: readonly Job[], paces: Map<string, Pace>): Waiting[] {
  const waiting = jobs.filter(({ done_at }) => done_at === null);
  const byMachine = [...groupBy(waiting, ({ machine }) => machine)];
  return byMachine
    .sort(([a], [b]) => ascending(a, b))
    .flatMap(([machine, ofMachine]) =>
      ofMachine
        .toSorted((a, b) => ascending(a.job_id, b.job_id))
        .map((job, ahead) => {
          const pace = paces.get(machine);
          return { job, ahead, estimate_ms: pace === undefined ? null : (ahead + 1) * pace.median_ms };
        }),
    );
}

/** How much waits for a machine, and how long that takes it: `2 queued, about 8 min`; `null` when nothing does. */
export function queueText(queue: readonly Waiting[], machine: string): string | null {
  const own = queue.filter(({ job }) => job.machine === machine);
  const last = own.at(-1);
  if (last === undefined) return null;
  const estimate = last.estimate_ms === null ? "" : `, about ${formatSpan(last.estimate_ms)}`;
  return `${own.length} queued${estimate}`;
}

/** What an estimate rests on: `the median of its last 20 runs is 4 min`. */
export function paceText({ median_ms, run_count }: Pace): string {
  const runs =
    run_count === 1 ? "its last run took" : `the median of its last ${counted(run_count, "run")} is`;
  return `${runs} ${formatSpan(median_ms)}`;
}

const REASONS: Record<string, string> = {
  backfill: "every commit of the range is measured",
  bisect: "it halves the range of commits",
  repeat: "measured again, because once does not tell",
};

/** Why a commit is to be measured, in words. */
export function reasonText(reason: string): string {
  return REASONS[reason] ?? reason;
}

function durationOf({ started_at, finished_at }: RunSummary): number {
  return Math.max(0, new Date(finished_at).getTime() - new Date(started_at).getTime());
}
