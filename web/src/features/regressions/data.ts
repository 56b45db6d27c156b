/** Texts for regressions. Pure. */
import type { Culprit, Regression } from "@/api/types";
import { changeText } from "@/lib/changes";
import { shortSha } from "@/lib/commits";
import { SURE, worstText } from "@/lib/regressions";
import { counted } from "@/lib/units";

/** `Slower by up to 20 %, since 2d9f8c1 “Copy twice”`, `Drift of +6.1 % since 2d9f8c1`. */
export function titleOf(regression: Regression, culprits: Culprit[]): string {
  const { direction, kind, cause, worst_change, is_time, state, fixed_by_commit } = regression;
  const end = state === "fixed" && fixed_by_commit !== null ? `, until ${shortSha(fixed_by_commit.sha)}` : "";
  if (kind === "drift") {
    return `${worstText(regression, worst_change)}${cause === "machine" ? `, ${OF_MACHINE}` : ""}${end}`;
  }
  const size = worst_change === null ? "" : ` by up to ${changeText(Math.abs(worst_change)).slice(1)}`;
  const [worse, better] = is_time ? ["Slower", "Faster"] : ["Worse", "Better"];
  const what = direction === "regressed" ? worse : better;
  return `${what}${size}, ${causeText(regression, culprits)}${end}`;
}

const OF_MACHINE = "caused by the machine";

function causeText({ cause }: Regression, culprits: Culprit[]): string {
  const [first] = culprits;
  if (cause === "machine") return OF_MACHINE;
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
