/** The changes of the mock: a regression, an improvement, and a machine that drifts. */
import type { ChangePoint, CommitSummary, Regression, RegressionDetail } from "@/api/types";
import { aRegression } from "@/test/fixtures";
import { after, DRIFT_AT, FASTER_AT, SLOWER_AT } from "./commits";
import { isSlowed, pointOf, stepsOf } from "./figures";
import type { MockSeries } from "./series";
import type { World } from "./world";

type Story = {
  ordinal: number;
  isOf: (series: MockSeries) => boolean;
  witnesses: string[];
  regression: Partial<Regression>;
};

const STORIES: Story[] = [
  {
    ordinal: SLOWER_AT,
    isOf: ({ summary }) => isSlowed(summary.transport.slug, summary.case.scenario),
    witnesses: ["canaries stable", "controls stable"],
    regression: { regression_id: 1, cause: "commit", direction: "regressed", state: "new" },
  },
  {
    ordinal: FASTER_AT,
    isOf: ({ summary }) => summary.transport.slug === "ring-futex" && summary.case.scenario === "route",
    witnesses: ["controls stable"],
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
    ordinal: DRIFT_AT,
    isOf: ({ summary, machine }) => machine.machine === "lab-arm-1" && summary.transport.slug === "tcp",
    witnesses: ["control transport: commits of this repository cannot change it"],
    regression: { regression_id: 3, cause: "machine", direction: "regressed", state: "machine" },
  },
];

export function changesOf(world: World, series: MockSeries[]): ChangePoint[] {
  return series.flatMap((entry) =>
    STORIES.flatMap((story) =>
      !entry.isImported && story.isOf(entry) ? changePoint(world, story, entry) : [],
    ),
  );
}

function changePoint(
  world: World,
  { ordinal, regression, witnesses }: Story,
  series: MockSeries,
): ChangePoint[] {
  const runs = world.runsOf(series).filter(({ commit }) => commit.ordinal >= ordinal);
  const [at] = runs;
  const before = world.runsOf(series).findLast(({ commit }) => commit.ordinal < ordinal);
  if (at === undefined || before === undefined) return [];
  const { summary, machine } = series;
  const [before_ns, after_ns] = [pointOf(series, before), pointOf(series, at)].map(
    ({ repetition_p50_ns }) => repetition_p50_ns.median,
  ) as [number, number];
  const change = stepsOf(series, at.commit.ordinal) / stepsOf(series, before.commit.ordinal) - 1;
  return [
    {
      change_point_id: summary.series_id * 10 + (regression.regression_id ?? 0),
      series_id: summary.series_id,
      environment_id: machine.environmentAt(at.commit.ordinal).environment_id,
      figure: "p50",
      commit_ordinal: at.commit.ordinal,
      commit_sha: at.commit.sha,
      after_commit_ordinal: before.commit.ordinal,
      until_commit_ordinal: at.commit.ordinal,
      before_ns,
      after_ns,
      change,
      confidence: 0.9999,
      direction: change > 0 ? "regressed" : "improved",
      matters: true,
      cause: regression.cause ?? "unknown",
      regression_id: regression.regression_id ?? null,
      found_at: after(at.commit, 60),
      places: [{ commit_ordinal: at.commit.ordinal, probability: 0.94 }],
      witnesses,
    },
  ];
}

/** The regressions, newest first. */
export function regressionsOf(world: World): Regression[] {
  return STORIES.flatMap(({ ordinal, regression }) => {
    const changes = changesOf(world, world.series).filter(
      ({ regression_id }) => regression_id === regression.regression_id,
    );
    const [before, at] = [world.commits[ordinal - 2], world.commits[ordinal - 1]];
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
      machines: [...machines].sort(),
      worst_change: worst ?? null,
      created_at: after(at, 60),
      updated_at: after(at, 60),
      ...regression,
    });
  }).sort((one, other) => other.until_commit.ordinal - one.until_commit.ordinal);
}

const placeOf = ({ ordinal, sha }: CommitSummary) => ({ ordinal, sha });

export function detailOf(world: World, regression: Regression): RegressionDetail {
  const { regression_id, until_commit, cause } = regression;
  const of = (ordinal: number, probability: number) => {
    const commit = world.commits[ordinal - 1];
    return commit === undefined || cause !== "commit" ? [] : [{ commit, probability, measured: true }];
  };
  return {
    regression,
    change_points: changesOf(world, world.series).filter((change) => change.regression_id === regression_id),
    culprits: [...of(until_commit.ordinal, 0.94), ...of(until_commit.ordinal - 1, 0.06)],
  };
}
