/** The changes of the mock: a regression, an improvement, a slower machine, a drift, and changes without an alert. */
import type {
  ChangePoint,
  CommitSummary,
  Explanation,
  Regression,
  RegressionDetail,
  Suspicion,
} from "@/api/types";
import { aRegression, aSuspicion } from "@/test/fixtures";
import {
  after,
  DRIFT,
  FASTER_AT,
  KNOWN_SWITCHES_AT,
  MACHINE_AT,
  SLOWER_AT,
  SMALL_AT,
  SWITCHES_AT,
  TAIL,
} from "./commits";
import { isDrifting, isSlowed, isSwitching, pointOf, stepsOf } from "./figures";
import type { MockSeries } from "./series";
import type { World } from "./world";

type Story = {
  ordinal: number;
  /** The commit before a drift; otherwise the measured commit before. */
  after?: number;
  isOf: (series: MockSeries) => boolean;
  witnesses: string[];
  /** Without it, the p50. */
  figure?: "tail";
  kind?: ChangePoint["kind"];
  matters?: boolean;
  /** Whether its comparison has findings and profiles. */
  isExplained?: boolean;
  /** Its regression; absent for changes without an alert. */
  regression?: Partial<Regression>;
};

const STORIES: Story[] = [
  {
    ordinal: SLOWER_AT,
    isOf: ({ summary }) => isSlowed(summary.transport.slug, summary.case.scenario),
    witnesses: [
      "canary wake did not follow: +0.1 %",
      "canary memory did not follow: \u22120.2 %",
      "control pipe did not follow: +0.3 %",
      "same case on lab-arm-1 also changed: +18 %",
    ],
    regression: { regression_id: 1, cause: "commit", direction: "regressed", state: "new" },
    isExplained: true,
  },
  {
    ordinal: FASTER_AT,
    isOf: ({ summary }) => summary.transport.slug === "ring-futex" && summary.case.scenario === "route",
    witnesses: ["control pipe did not follow: +0.2 %"],
    regression: {
      regression_id: 2,
      cause: "commit",
      direction: "improved",
      state: "acknowledged",
      assignee: "ada",
      note: "Expected: the purpose of the commit.",
    },
  },
  {
    ordinal: MACHINE_AT,
    isOf: ({ summary, machine }) => machine.machine === "lab-arm-1" && summary.transport.slug === "tcp",
    witnesses: ["control transport: commits of this repository cannot change it"],
    regression: { regression_id: 3, cause: "machine", direction: "regressed", state: "machine" },
  },
  {
    ordinal: DRIFT.at,
    after: DRIFT.after,
    isOf: ({ summary }) => isDrifting(summary),
    witnesses: ["canary wake did not follow: +0.1 %", "control pipe did not follow: +0.4 %"],
    kind: "drift",
    regression: { regression_id: 4, kind: "drift", cause: "commit", direction: "regressed", state: "new" },
  },
  { ordinal: SMALL_AT, isOf: ({ summary }) => isDrifting(summary), witnesses: [], matters: false },
  { ordinal: TAIL.at, isOf: ({ summary }) => isDrifting(summary), witnesses: [], figure: "tail" },
  ...SWITCHES_AT.map((ordinal): Story => {
    const kind = KNOWN_SWITCHES_AT.includes(ordinal) ? "known_state" : "step";
    return { ordinal, isOf: isSwitching, witnesses: ["canary wake also changed: +7.4 %"], kind };
  }),
];

export function changesOf(world: World, series: MockSeries[]): ChangePoint[] {
  const stories = STORIES.toSorted((one, other) => one.ordinal - other.ordinal);
  return series.flatMap((entry) =>
    stories.flatMap((story) =>
      !entry.isImported && story.isOf(entry) ? changePoint(world, story, entry) : [],
    ),
  );
}

function changePoint(
  world: World,
  {
    ordinal,
    after: begin = ordinal - 1,
    witnesses,
    figure,
    kind = "step",
    matters = true,
    regression,
  }: Story,
  series: MockSeries,
): ChangePoint[] {
  const runs = world.runsOf(series).filter(({ commit }) => commit.ordinal >= ordinal);
  const [at] = runs;
  const before = world.runsOf(series).findLast(({ commit }) => commit.ordinal <= begin);
  if (at === undefined || before === undefined) return [];
  const { summary, machine } = series;
  const [before_level, after_level] = [before, at].map((run) => {
    const { latency_ns, repetition_p50_ns } = pointOf(series, run);
    return figure === "tail" ? latency_ns.p99 / repetition_p50_ns.median : repetition_p50_ns.median;
  }) as [number, number];
  const change =
    figure === "tail"
      ? after_level / before_level - 1
      : stepsOf(series, at.commit.ordinal) / stepsOf(series, before.commit.ordinal) - 1;
  return [
    {
      change_point_id: summary.series_id * 100 + ordinal,
      series_id: summary.series_id,
      environment_id: machine.environmentAt(at.commit.ordinal).environment_id,
      figure: figure ?? "p50",
      commit_ordinal: at.commit.ordinal,
      commit_sha: at.commit.sha,
      after_commit_ordinal: before.commit.ordinal,
      until_commit_ordinal: at.commit.ordinal,
      before_level,
      after_level,
      change,
      confidence: 0.9999,
      direction: change > 0 ? "regressed" : "improved",
      kind,
      matters,
      cause: regression?.cause ?? null,
      regression_id: regression?.regression_id ?? null,
      found_at: after(at.commit, 60),
      places: kind === "drift" ? [] : [{ commit_ordinal: at.commit.ordinal, probability: 0.94 }],
      witnesses,
    },
  ];
}

/** The regressions, newest first. */
export function regressionsOf(world: World): Regression[] {
  return STORIES.flatMap(({ ordinal, after: begin = ordinal - 1, regression, isExplained = false }) => {
    if (regression === undefined) return [];
    const changes = changesOf(world, world.series).filter(
      ({ regression_id }) => regression_id === regression.regression_id,
    );
    const [before, at] = [world.commits[begin - 1], world.commits[ordinal - 1]];
    if (before === undefined || at === undefined) return [];
    const worst = changes.map(({ change }) => change).sort((a, b) => Math.abs(b) - Math.abs(a))[0];
    const machines = new Set(
      changes.flatMap(({ series_id }) => world.seriesById(series_id)?.machine.machine ?? []),
    );
    return aRegression({
      project: world.project,
      after_commit: placeOf(before),
      until_commit: placeOf(at),
      series_count: changes.length,
      is_time: true,
      machines: [...machines].sort(),
      worst_change: worst ?? null,
      created_at: after(at, 60),
      updated_at: after(at, 60),
      explanation: isExplained ? explanationOf(before, at) : null,
      ...regression,
    });
  }).sort((one, other) => other.until_commit.ordinal - one.until_commit.ordinal);
}

/** The cause in the profiles of the mock. */
const explanationOf = (base: CommitSummary, head: CommitSummary): Explanation => ({
  base_sha: base.sha,
  change_ns: 810,
  findings: [
    {
      rule: "slower-function",
      function: "ring::Message::encode",
      text: "`ring::Message::encode` takes 945 ns longer",
      explains_ns: 945,
      explains_range_ns: [921, 968],
    },
  ],
  unexplained_ns: -135,
  suspects: [{ sha: head.sha, names: ["encode"] }],
  has_profile: true,
});

/** The newest commit waits for its comparison on one machine. */
export function suspicionsOf(world: World): Suspicion[] {
  const [newest] = world.runs;
  const [base, commit] = world.commits.slice(-2);
  if (newest === undefined || base === undefined || commit === undefined) return [];
  return [
    aSuspicion({
      machine: newest.machine,
      commit: placeOf(commit),
      base_commit: placeOf(base),
      run_id: newest.run_id,
      job_id: world.jobs[0]?.job_id ?? null,
      created_at: after(commit, 60),
    }),
  ];
}

const placeOf = ({ ordinal, sha }: CommitSummary) => ({ ordinal, sha });

export function detailOf(world: World, regression: Regression): RegressionDetail {
  const { regression_id, until_commit, cause, kind } = regression;
  const of = (ordinal: number, probability: number) => {
    const commit = world.commits[ordinal - 1];
    const isKnown = commit !== undefined && cause === "commit" && kind === "step";
    const suspect = regression.explanation?.suspects?.find(({ sha }) => sha === commit?.sha);
    return isKnown ? [{ commit, probability, measured: true, names: suspect?.names ?? [] }] : [];
  };
  return {
    regression,
    change_points: changesOf(world, world.series).filter((change) => change.regression_id === regression_id),
    culprits: [...of(until_commit.ordinal, 0.94), ...of(until_commit.ordinal - 1, 0.06)],
  };
}
