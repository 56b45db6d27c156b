/** From regressions to what the pages say of them. */
import type {
  ChangePoint,
  CommitPlace,
  Culprit,
  Regression,
  RegressionState,
  SeriesSummary,
} from "@/api/types";
import { caseName } from "@/lib/cases";
import { shortSha } from "@/lib/commits";
import { changeText, type Direction } from "@/lib/regressions";
import { counted } from "@/lib/units";

/** The commits of which one made it: `2d9f8c1`, or `after a1b2c3d, up to 2d9f8c1 (12 commits)`. */
export function rangeText(after: CommitPlace, until: CommitPlace): string {
  const count = until.ordinal - after.ordinal;
  if (count <= 1) return shortSha(until.sha);
  return `after ${shortSha(after.sha)}, up to ${shortSha(until.sha)} (${counted(count, "commit")})`;
}

/** What a regression is, as a sentence: what changed by how much, and who did it. */
export function titleOf(regression: Regression, culprits: Culprit[]): string {
  const { direction, worst_change, state, fixed_by_commit } = regression;
  const size = worst_change === null ? "" : ` by up to ${changeText(Math.abs(worst_change)).slice(1)}`;
  const what = direction === "regressed" ? "Slower" : "Faster";
  const end = state === "fixed" && fixed_by_commit !== null ? `, until ${shortSha(fixed_by_commit.sha)}` : "";
  return `${what}${size}, ${causeText(regression, culprits)}${end}`;
}

/** From this probability on a culprit is named alone. */
const SURE = 0.9;

function causeText({ cause }: Regression, culprits: Culprit[]): string {
  const [first] = culprits;
  if (cause === "machine") return "the machine did it, not a commit";
  if (first === undefined) return "nobody can tell which commit";
  if (first.probability < SURE) return `since one of ${counted(culprits.length, "commit")}`;
  return `since ${shortSha(first.commit.sha)}, “${first.commit.subject}”`;
}

/** A series as a link says it: `unix-stream round trip 64 B, two processes, same CPU on lab-1`. */
export function seriesText(series: SeriesSummary | undefined, seriesId: number): string {
  if (series === undefined) return `series ${seriesId}`;
  return `${series.transport.slug} ${caseName(series.case)} on ${series.machine}`;
}

/** Where it was seen: `4 series on 2 machines`. */
export function whereText({ series_count, machine_count }: Regression): string {
  return `${series_count} series on ${counted(machine_count, "machine")}`;
}

/** What keeps people from being told of it; null when nothing does. */
export function quietText({ held_because, muted_until }: Regression, now: Date): string | null {
  if (muted_until !== null && new Date(muted_until) > now) return "muted";
  return held_because === null ? null : "held";
}

/** The changes that say most: the largest of each series, of p50 where it has one. */
export function clearest(changes: ChangePoint[], direction: Direction): ChangePoint[] {
  const bySeries = new Map<number, ChangePoint>();
  for (const change of changes) {
    if (change.direction !== direction) continue;
    const known = bySeries.get(change.series_id);
    if (known === undefined || (known.figure !== "p50" && change.figure === "p50")) {
      bySeries.set(change.series_id, change);
    }
  }
  return [...bySeries.values()].sort((one, other) => Math.abs(other.change) - Math.abs(one.change));
}

/** What the states are called. */
export const STATE_NAMES: Record<RegressionState, string> = {
  new: "new",
  acknowledged: "acknowledged",
  fixed: "fixed",
  invalid: "no regression",
  machine: "the machine’s",
};
