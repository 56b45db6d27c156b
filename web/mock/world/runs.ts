/** The runs of the mock: each machine measures commits of the main line and some pull requests. */
import type { Canary, CommitSummary, RunSummary } from "@/api/types";
import { aRunSummary } from "@/test/fixtures";
import { after, headOf, hex, wobble } from "./commits";
import { MACHINES, type Machine } from "./machines";
import type { MockSeries } from "./series";

/** The slower machine skips some commits. */
const LEFT_OUT = 7;
/** The number of imports. */
const IMPORTED = 10;

/** A pull request: its head and merge base, and whether that is certain. */
export type PullRequest = {
  pull_request: number;
  head: CommitSummary;
  base: CommitSummary;
  isCertain: boolean;
};

export function pullRequestsOf(commits: CommitSummary[]): PullRequest[] {
  const [base, older] = [commits.at(-1), commits.at(-5)];
  if (base === undefined || older === undefined) return [];
  return [
    { pull_request: 42, head: headOf(42, base.ordinal + 1), base, isCertain: true },
    { pull_request: 41, head: headOf(41, older.ordinal + 2), base: older, isCertain: false },
  ];
}

type Of = { project: string; machine: Machine; place: number; series: MockSeries[] };

function run(
  { project, machine, place, series }: Of,
  commit: CommitSummary,
  change: Partial<RunSummary> = {},
): RunSummary {
  const own = series.filter((entry) => entry.machine === machine && !entry.isImported);
  const number = (change.pull_request ?? 0) * 1000 + commit.ordinal;
  const begin = 5 + place * 9;
  return aRunSummary({
    run_id: runId(number, place),
    project,
    machine: machine.machine,
    commit,
    preset: "standard",
    started_at: after(commit, begin),
    finished_at: after(commit, begin + 8),
    received_at: after(commit, begin + 8),
    point_count: own.filter(({ unsupported }) => unsupported === null).length,
    unsupported_count: own.filter(({ unsupported }) => unsupported !== null).length,
    failure_count: commit.ordinal % 13 === 0 ? 1 : 0,
    ...change,
  });
}

function importedRun(of: Of, commit: CommitSummary): RunSummary {
  return run(of, commit, {
    run_id: runId(commit.ordinal, 9),
    preset: "import",
    build: "unknown",
    order_seed: "0",
    point_count: of.series.filter(({ isImported }) => isImported).length,
    unsupported_count: 0,
  });
}

const runId = (number: number, place: number) =>
  `019aa8f0-${(number % 0x1_0000).toString(16).padStart(4, "0")}-7b3a-9f0${place}-${hex(12, number, place)}`;

export function runsOf(project: string, commits: CommitSummary[], series: MockSeries[]): RunSummary[] {
  const runs = MACHINES.flatMap((machine, place) => {
    const of = { project, machine, place, series };
    const measured = commits.filter(({ ordinal }) => place === 0 || ordinal % LEFT_OUT !== 0);
    return [
      ...measured.map((commit) => run(of, commit)),
      ...measured
        .filter(({ ordinal }) => place === 0 && ordinal % IMPORTED === 0)
        .map((commit) => importedRun(of, commit)),
      ...pullRequestsOf(commits).map(({ pull_request, head }) =>
        run(of, head, {
          pull_request,
          branch: `change-${pull_request}`,
          preset: "quick",
          quarantined: pull_request === 41,
        }),
      ),
    ];
  });
  return runs.sort((one, other) => (one.started_at < other.started_at ? 1 : -1));
}

/** Canary readings in nanoseconds. */
const CANARIES: [string, number][] = [
  ["clock-cost", 24],
  ["clock-step", 1],
  ["null-syscall", 96],
  ["cache-line", 62],
  ["wake", 3100],
  ["memcpy-64k", 2900],
  ["memcpy-64m", 6_900_000],
];

export function canariesOf(machine: Machine, { ordinal }: CommitSummary): Canary[] {
  return CANARIES.map(([slug, ns], index) => {
    const p50_ns = Math.max(1, Math.round(ns * machine.slowness * wobble(0.03, ordinal, index)));
    return { slug, count: 1000, p50_ns, min_ns: Math.max(1, Math.round(p50_ns * 0.93)) };
  });
}
