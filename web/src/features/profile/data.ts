/** Texts about frames. Pure. */
import { changeText } from "@/lib/changes";
import { changeOf, type Flame, type Match, nameOf, ROOT, type Side, type View } from "@/lib/flame";
import { changeOfNs } from "@/lib/regressions";
import { counted, formatNs, formatShare } from "@/lib/units";

/** A change of a time; changes below half a nanosecond have no sign. */
export function signedNs(ns: number): string {
  const whole = Math.round(ns);
  return whole === 0 ? "0 ns" : changeOfNs(whole);
}

/** A frame in numbers: the time of both sides, the change, and its share of the end's time. */
export type Details = {
  name: string;
  base: string;
  head: string;
  change: string;
  direction: "regressed" | "improved" | null;
  /** The change without callees. */
  own: string;
  share: string;
};

export function detailsOf(flame: Flame, frame: number, view: View): Details {
  const of = (side: Side) => flame.total[side][frame] ?? 0;
  const [base, head, change] = [of("base"), of("head"), changeOf(flame, frame)];
  const ownChange = (flame.own.head[frame] ?? 0) - (flame.own.base[frame] ?? 0);
  const side = view === "base" || head === 0 ? "base" : "head";
  const whole = flame.total[side][ROOT] ?? 0;
  return {
    name: nameOf(flame, frame),
    base: formatNs(base),
    head: formatNs(head),
    change: `${signedNs(change)} per message${relative(base, head)}`,
    direction: Math.round(change) === 0 ? null : change > 0 ? "regressed" : "improved",
    own: signedNs(ownChange),
    share: `${formatShare(whole === 0 ? 0 : of(side) / whole)} of ${side}`,
  };
}

function relative(base: number, head: number): string {
  if (base === 0) return head === 0 ? "" : ", only in head";
  return head === 0 ? ", only in base" : ` (${changeText(head / base - 1)})`;
}

/** The details as one sentence, for screen readers. */
export function spoken({ name, base, head, change, own, share }: Details): string {
  return `${name}: base ${base}, head ${head}, ${change}; own change ${own}; ${share}`;
}

export function matchText({ functionCount, share }: Match): string {
  if (functionCount === 0) return "No match";
  const { base, head } = share;
  return `${counted(functionCount, "function")}: ${formatShare(base)} of base, ${formatShare(head)} of head`;
}
