/** Texts for regressions. Pure. */
import type { Culprit, Regression } from "@/api/types";
import { changeText } from "@/lib/changes";
import { shortSha } from "@/lib/commits";
import { SURE } from "@/lib/regressions";
import { counted } from "@/lib/units";

/** `Slower by up to 20 %, since 2d9f8c1 “Copy twice”`. */
export function titleOf(regression: Regression, culprits: Culprit[]): string {
  const { direction, worst_change, state, fixed_by_commit } = regression;
  const size = worst_change === null ? "" : ` by up to ${changeText(Math.abs(worst_change)).slice(1)}`;
  const what = direction === "regressed" ? "Slower" : "Faster";
  const end = state === "fixed" && fixed_by_commit !== null ? `, until ${shortSha(fixed_by_commit.sha)}` : "";
  return `${what}${size}, ${causeText(regression, culprits)}${end}`;
}

function causeText({ cause }: Regression, culprits: Culprit[]): string {
  const [first] = culprits;
  if (cause === "machine") return "caused by the machine";
  if (first === undefined) return "commit unknown";
  if (first.probability < SURE) return `since one of ${counted(culprits.length, "commit")}`;
  return `since ${shortSha(first.commit.sha)} “${first.commit.subject}”`;
}

/** `4 series on 2 machines`. */
export function whereText({ series_count, machines }: Regression): string {
  return `${series_count} series on ${counted(machines.length, "machine")}`;
}

/** Why no alerts are sent; `null` if they are. */
export function alertState({ held_because, muted_until }: Regression, now: Date): string | null {
  if (muted_until !== null && new Date(muted_until) > now) return "muted";
  return held_because === null ? null : "held";
}
