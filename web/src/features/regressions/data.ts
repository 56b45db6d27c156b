/** From regressions to what the pages say of them. */
import type { Culprit, Regression } from "@/api/types";
import { shortSha } from "@/lib/commits";
import { changeText } from "@/lib/regressions";
import { counted } from "@/lib/units";

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

/** Where it was seen: `4 series on 2 machines`. */
export function whereText({ series_count, machines }: Regression): string {
  return `${series_count} series on ${counted(machines.length, "machine")}`;
}

/** What keeps people from being told of it; null when nothing does. */
export function quietText({ held_because, muted_until }: Regression, now: Date): string | null {
  if (muted_until !== null && new Date(muted_until) > now) return "muted";
  return held_because === null ? null : "held";
}
