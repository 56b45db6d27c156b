/** How much machines moved between the sides, in words. Pure. */
import type { Comparison } from "@/api/types";
import { formatCount } from "@/lib/units";
import { signedText } from "./pairs";

export type MovementLine = {
  machine: string;
  /** What moved: `Machine lab-1 moved: canary wake +23.0 %.` */
  text: string;
  isComparable: boolean;
};

/** A line per machine that moved enough to limit verdicts. */
export function movementLines({ machines }: Comparison): MovementLine[] {
  return machines.flatMap(({ machine, moved }) => {
    if (moved === null || !moved.limits_verdicts) return [];
    const shown = moved.references.filter(({ change }) => change !== 0);
    const names = shown.map(({ kind, name, change }) => `${kind} ${name} ${signedText(change)}`).join(", ");
    const left = moved.moved_count - shown.length;
    const more = left > 0 ? ` and ${formatCount(left)} more` : "";
    return { machine, text: `Machine ${machine} moved: ${names}${more}.`, isComparable: moved.comparable };
  });
}

/** What follows for the verdicts, around the words that link to a paired A/B. */
export function consequenceOf({ isComparable }: MovementLine): [before: string, link: string, after: string] {
  return isComparable
    ? ["Only larger changes count. A ", "paired A/B", " finds smaller ones."]
    : ["Not comparable; run a ", "paired A/B", "."];
}
