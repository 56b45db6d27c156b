/** The figures of a series at a run: a level with changes and noise. */
import type { HistogramBin, Point, Repetition, RunSummary, StatedPoint } from "@/api/types";
import { messagesPerOperation } from "@/lib/cases";
import { aPoint, aRepetition, aStatedPoint, latency } from "@/test/fixtures";
import {
  DRIFT,
  FASTER_AT,
  MACHINE_AT,
  noise,
  SLOWER_AT,
  SMALL_AT,
  SWITCHES_AT,
  TAIL,
  wobble,
} from "./commits";
import type { Machine } from "./machines";
import type { MockSeries } from "./series";

/** Operations and repetitions of a point. */
const COUNT = 2000;
const REPETITION_COUNT = 10;
export const STEPS_PER_DOUBLING = 8;

export function stepsOf({ summary, machine }: MockSeries, ordinal: number): number {
  const { transport, case: kase } = summary;
  let factor = 1;
  if (isSlowed(transport.slug, kase.scenario) && ordinal >= SLOWER_AT) factor *= 1.2;
  if (transport.slug === "ring-futex" && kase.scenario === "route" && ordinal >= FASTER_AT) factor *= 0.8;
  if (machine.machine === "lab-arm-1" && transport.slug === "tcp" && ordinal >= MACHINE_AT) factor *= 1.09;
  if (isDrifting(summary))
    factor *= (ordinal < SMALL_AT ? 1 : 1.014) * (1 + DRIFT.change * driftedBy(ordinal));
  if (isSwitching({ summary, machine }) && switchesBy(ordinal) % 2 === 1) factor *= 1.3;
  return factor;
}

/** Has a small change and one of the tail, then becomes slower in small steps. */
export const isDrifting = ({ transport, case: kase }: MockSeries["summary"]) =>
  transport.slug === "unix-stream" && kase.scenario === "roundtrip";

/** Also switches between two states of its machine. */
export const isSwitching = ({ summary, machine }: Pick<MockSeries, "summary" | "machine">) =>
  machine.machine === "lab-arm-1" && isDrifting(summary);

/** The part of the drift up to a commit, from 0 to 1. */
const driftedBy = (ordinal: number) =>
  Math.min(1, Math.max(0, (ordinal - DRIFT.after) / (DRIFT.at - DRIFT.after)));

const switchesBy = (ordinal: number) => SWITCHES_AT.filter((at) => at <= ordinal).length;

export const isSlowed = (slug: string, scenario: string) => slug === "ring-futex" && scenario === "roundtrip";

function place(run: RunSummary, machine: Machine) {
  return {
    run_id: run.run_id,
    commit_sha: run.commit.sha,
    commit_ordinal: run.commit.ordinal,
    work_tree_modified: run.work_tree_modified,
    measured_at: run.started_at,
    environment_id: machine.environmentAt(run.commit.ordinal).environment_id,
  };
}

export function pointOf(series: MockSeries, run: RunSummary): Point {
  const { summary, machine, operation_ns } = series;
  const { ordinal } = run.commit;
  const drawn = wobble(0.02, summary.series_id, ordinal, run.pull_request ?? 0);
  const p50 = Math.round(operation_ns * machine.slowness * stepsOf(series, ordinal) * drawn);
  const isOfTail = (name: string) => ["p99", "p999", "max"].includes(name);
  const factorOf = (name: string) =>
    isDrifting(summary) && isOfTail(name) && ordinal >= TAIL.at ? TAIL.factor : 1;
  const times = Object.entries(latency(p50));
  const whole = Object.fromEntries(times.map(([name, ns]) => [name, Math.round(ns * factorOf(name))]));
  const total_bytes = summary.case.total_bytes ?? null;
  const lost =
    summary.methodology.on_full === "drop" ? Math.round(noise(summary.series_id, ordinal) * 40) : 0;
  return aPoint({
    ...place(run, machine),
    latency_ns: whole as Point["latency_ns"],
    count: COUNT - lost,
    sum_ns: p50 * (COUNT - lost),
    repetition_count: REPETITION_COUNT,
    disturbed_count: noise(summary.series_id, ordinal, 3) > 0.95 ? 1 : 0,
    repetition_p50_ns: { q1: Math.round(p50 * 0.992), median: p50, q3: Math.round(p50 * 1.009) },
    bytes_per_second: total_bytes === null ? null : Math.round((total_bytes * 1e9) / p50),
    attempted: COUNT,
    accepted: COUNT,
    delivered: COUNT - lost,
    lossy: lost > 0,
  });
}

/** The first commit whose agents report budgets, on the machine that was updated late. */
const BUDGETS_FROM = 12;

/** Where the time goes: parts that add up to the p50 per message and the overlap. `null` for imports and old agents. */
export function budgetOf(series: MockSeries, point: Point) {
  const { summary, machine, isImported } = series;
  const { placement } = summary.case;
  const { commit_ordinal: ordinal } = point;
  const isLate = machine.machine === "lab-arm-1";
  if (isImported || (isLate && ordinal < BUDGETS_FROM)) return null;
  const message_ns = point.latency_ns.p50 / (messagesPerOperation(summary.case) ?? 1);
  // A change of the level is in the receiver's kernel.
  const added_ns = Math.max(0, message_ns * (1 - 1 / stepsOf(series, ordinal)));
  const before_ns = message_ns - added_ns;
  const isSpinning = summary.transport.slug === "ring-spin";
  const isShared = summary.transport.family === "shared-memory";
  const [asleep, overlap] = placement === "same-cpu" ? [0.01, 0] : isSpinning ? [0, 0.9] : [0.3, 0.08];
  const ready = placement === "same-cpu" ? 0.06 * wobble(0.3, summary.series_id, ordinal) : 0.01;
  const busy = before_ns * (1 - asleep - ready + overlap);
  const kernel = isSpinning ? 0.03 : isShared ? 0.6 : 0.88;
  const sender = 0.48 * wobble(0.03, summary.series_id, ordinal, 1);
  const switches = isSpinning ? 0.001 : summary.case.scenario === "roundtrip" ? 2 : 0.4;
  return {
    parts_ns: {
      sender_user: busy * sender * (1 - kernel),
      sender_kernel: busy * sender * kernel,
      receiver_user: busy * (1 - sender) * (1 - kernel),
      receiver_kernel: busy * (1 - sender) * kernel + added_ns,
      ready: before_ns * ready,
      asleep: before_ns * asleep,
      overlap: before_ns * overlap,
    },
    events: {
      waits: switches * wobble(0.01, summary.series_id, ordinal, 2),
      preemptions: 0.002 * noise(summary.series_id, ordinal, 4),
      migrations: isLate ? null : 0,
      page_faults: 0.01 * noise(summary.series_id, ordinal, 5),
    },
  };
}

export function statedPointOf({ summary, machine, operation_ns }: MockSeries, run: RunSummary): StatedPoint {
  const center_ns = Math.round(operation_ns * wobble(0.02, summary.series_id, run.commit.ordinal));
  return aStatedPoint({
    ...place(run, machine),
    center_ns,
    low_ns: Math.round(center_ns * 0.98),
    high_ns: Math.round(center_ns * 1.03),
  });
}

export function repetitionsOf({ latency_ns, lossy, disturbed_count }: Point): Repetition[] {
  return Array.from({ length: REPETITION_COUNT }, (_, index) => {
    const factor = wobble(0.015, latency_ns.p50, index);
    const delivered = COUNT / REPETITION_COUNT - (lossy && index === 0 ? 1 : 0);
    return aRepetition({
      index,
      p50_ns: Math.round(latency_ns.p50 * factor),
      p99_ns: Math.round(latency_ns.p99 * factor),
      min_ns: latency_ns.min,
      max_ns: Math.round(latency_ns.max * factor),
      count: delivered,
      delivered,
      disturbed: index < disturbed_count ? ["another process took the CPU"] : [],
    });
  });
}

/** The histogram of a point: a peak around the median with a long tail. */
export function binsOf({ latency_ns: { min, p50, max }, count }: Point): { first: number; counts: number[] } {
  const bin = (ns: number) => Math.floor(Math.log2(ns) * STEPS_PER_DOUBLING);
  const [first, top, last] = [bin(min), bin(p50), bin(max)];
  const weights = Array.from({ length: last - first + 1 }, (_, index) => {
    const away = first + index - top;
    return away <= 0 ? 0.5 ** -away : 0.45 ** away + 0.002 * noise(p50, index);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const counts = weights.map((weight) => Math.round((weight / sum) * count));
  counts[counts.length - 1] = Math.max(1, counts.at(-1) ?? 0);
  return { first, counts };
}

export function histogramOf(point: Point): HistogramBin[] {
  const { first, counts } = binsOf(point);
  const bound = (bin: number) => Math.round(2 ** (bin / STEPS_PER_DOUBLING));
  return counts.map((count, index) => ({
    from_ns: bound(first + index),
    to_ns: bound(first + index + 1),
    count,
  }));
}
