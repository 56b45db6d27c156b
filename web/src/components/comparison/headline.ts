/** The sentences that answer first: the worst change, never a mean over cases, and how much was compared. Pure. */
import type { Comparison, ComparisonPair, CountedShare, KindCounts } from "@/api/types";
import { shortSha } from "@/lib/commits";
import { counted, formatCount } from "@/lib/units";
import {
  besideChanges,
  boundsOf,
  byKind,
  type Change,
  KIND_NAMES,
  KINDS,
  largest,
  machineOf,
  p50Change,
  sizesText,
  sizeText,
  subjectOf,
  totalsOf,
  whyNot,
} from "./pairs";

export function headlineOf(comparison: Comparison): string {
  const { counts, pairs } = comparison;
  const { compared } = totalsOf(counts);
  if (compared === 0) return `${nothingText(comparison)}.`;
  const worst = worstOf(pairs);
  const undecided = counts.inconclusive;
  const changed = compared - counts.unchanged - undecided;
  const share = `${formatCount(changed)} of ${counted(compared, "case")} changed`;
  if (worst !== null) return `${changeText(worst, comparison)}; ${share}.`;
  const [shape] = byKind(pairs).elsewhere;
  if (shape !== undefined) {
    return `Times of ${subjectOf(shape, comparison)} have another shape on ${machineOf(shape)}; ${share}.`;
  }
  const seen = `the smallest change that would count is ${leastText(comparison)}`;
  if (undecided === 0) {
    const none =
      compared === 1 ? "The one case did not change" : `None of ${formatCount(compared)} cases changed`;
    return `${none}; ${seen}.`;
  }
  if (undecided === compared) {
    return `Whether anything changed cannot be told: ${
      undecided === 1 ? "the one case is" : `all ${formatCount(undecided)} cases are`
    } inconclusive.`;
  }
  return `No case changed for sure: ${formatCount(counts.unchanged)} of ${counted(
    compared,
    "case",
  )} did not, and ${formatCount(undecided)} cannot be told; ${seen}.`;
}

/** How many cases of each kind there are: `3 slower, 1 faster, 20 did not change; 28 are not comparable`. */
export function countsText(counts: KindCounts): string {
  const told = KINDS.filter((kind) => counts[kind] > 0).map(
    (kind) => `${formatCount(counts[kind])} ${KIND_NAMES[kind]}`,
  );
  const left = counts.not_comparable;
  const rest = left === 0 ? [] : [`${formatCount(left)} ${left === 1 ? "is" : "are"} not comparable`];
  return [...(told.length > 0 ? [told.join(", ")] : []), ...rest].join("; ");
}

/** How often such verdicts are wrong, as far as it was counted. */
export function confidenceText({ count, of_count, interval }: CountedShare): string | null {
  const ends = boundsOf(interval);
  if (of_count === 0 || ends === null) return null;
  const found = count === 0 ? "none found" : `${formatCount(count)} found`;
  return `Of ${counted(of_count, "comparison")} of a commit with itself here, ${found} a change that is not there; at most ${sizeText(ends[1])} would.`;
}

type Told = Change & { pair: ComparisonPair };

/** The change to tell of: what got slower by its p50, else in its tail; else what got faster. */
function worstOf(pairs: readonly ComparisonPair[]): Told | null {
  const all = pairs.flatMap((pair) =>
    [p50Change(pair), ...besideChanges(pair)].flatMap((change) =>
      change === null ? [] : [{ ...change, pair }],
    ),
  );
  const p50s = all.filter(({ figure }) => figure === "p50");
  const slower = ({ change }: Change) => change > 0;
  return largest(p50s.filter(slower)) ?? largest(all.filter(slower)) ?? largest(p50s) ?? largest(all);
}

function changeText({ figure, change, interval, pair }: Told, comparison: Comparison): string {
  const whose = figure === "p50" ? "" : `The ${figure} of `;
  const size = `${sizeText(change)} ${change > 0 ? "slower" : "faster"}`;
  const sure = interval === null ? "" : ` (${sizesText(interval)})`;
  return `${whose}${subjectOf(pair, comparison)} got ${size}${sure} on ${machineOf(pair)}`;
}

/** The least changes that are said to be one: `1.0 %`, or `1.0 to 8.9 %, by case`. */
function leastText({ least_changes }: Comparison): string {
  const [low, high] = (least_changes ?? []).map(sizeText);
  if (low === undefined || high === undefined) return "not known";
  return low === high ? low : `${low.replace(" %", "")} to ${high}, by case`;
}

function nothingText({ base, head, counts, not_compared: [group] }: Comparison): string {
  const missing = [base, head]
    .filter(({ case_count }) => case_count === 0)
    .map(({ commit }) => shortSha(commit.sha));
  if (missing.length === 2) return "Nothing can be compared: neither commit was measured";
  if (missing.length === 1) return `Nothing can be compared: ${missing[0]} was not measured`;
  const { all } = totalsOf(counts);
  const count = all === 1 ? "The one case is not" : `None of ${counted(all, "case")} is`;
  return `${count} comparable${group === undefined ? "" : `: ${whyNot(group).join("; ")}`}`;
}
