/** The headline of a comparison: the worst change, never a mean over cases. Pure. */
import type { Comparison, ComparisonPair, CountedShare, KindCounts } from "@/api/types";
import { shortSha } from "@/lib/commits";
import { counted, formatCount } from "@/lib/units";
import {
  boundsOf,
  byKind,
  type Change,
  KIND_NAMES,
  largest,
  machineOf,
  p50Change,
  powerText,
  reasonsOf,
  signedText,
  sizesText,
  sizeText,
  subjectOf,
  tailChanges,
  totalsOf,
} from "./pairs";
import { KINDS } from "./search";

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
    return `Shape changed for ${subjectOf(shape, comparison)} on ${machineOf(shape)}; ${share}.`;
  }
  const detectable = detectableText(comparison);
  if (undecided === 0) return `No change in ${counted(compared, "case")}; ${detectable}.`;
  if (undecided === compared) {
    return undecided === 1
      ? "The only case is inconclusive."
      : `All ${formatCount(undecided)} cases are inconclusive.`;
  }
  return `No change in ${formatCount(counts.unchanged)} of ${counted(compared, "case")}; ${formatCount(undecided)} inconclusive; ${detectable}.`;
}

/** The number of cases of each kind: `3 slower, 1 faster, 20 unchanged; 28 not comparable`. */
export function countsText(counts: KindCounts): string {
  const kinds = KINDS.filter((kind) => counts[kind] > 0).map(
    (kind) => `${formatCount(counts[kind])} ${KIND_NAMES[kind]}`,
  );
  const left = counts.not_comparable;
  const rest = left === 0 ? [] : [`${formatCount(left)} not comparable`];
  return [...(kinds.length > 0 ? [kinds.join(", ")] : []), ...rest].join("; ");
}

/** The false-positive rate of such comparisons; `null` if there is no data. */
export function confidenceText({ count, of_count, interval }: CountedShare): string | null {
  const ends = boundsOf(interval);
  if (of_count === 0 || ends === null) return null;
  return `False positives: ${formatCount(count)} of ${counted(of_count, "A/A comparison")} (upper bound ${sizeText(ends[1])}).`;
}

type PairChange = Change & { pair: ComparisonPair };

/** The change for the headline: the p50 that is worse by most, otherwise the tail, otherwise the one that is better. */
function worstOf(pairs: readonly ComparisonPair[]): PairChange | null {
  const all = pairs.flatMap((pair) =>
    [p50Change(pair), ...tailChanges(pair)].flatMap((change) =>
      change === null ? [] : [{ ...change, pair }],
    ),
  );
  const p50s = all.filter(({ figure }) => figure === "p50");
  const worse = ({ change, pair }: PairChange) => change > 0 !== (pair.case.measure?.better === "higher");
  return largest(p50s.filter(worse)) ?? largest(all.filter(worse)) ?? largest(p50s) ?? largest(all);
}

function changeText({ figure, change, interval, pair }: PairChange, comparison: Comparison): string {
  const prefix = figure === "p50" ? "" : `The ${figure} of `;
  const sure = interval === null ? "" : ` (95 % CI ${sizesText(interval)})`;
  const got =
    pair.case.measure == null
      ? `got ${sizeText(change)} ${change > 0 ? "slower" : "faster"}`
      : `changed by ${signedText(change)}`;
  return `${prefix}${subjectOf(pair, comparison)} ${got}${sure} on ${machineOf(pair)}`;
}

/** The changes that the unchanged cases would have shown, from their noise. */
function detectableText({ detectable_changes }: Comparison): string {
  const ends = boundsOf(detectable_changes);
  const [low, high] = ends?.map(sizeText) ?? [];
  if (ends === null || low === high) return powerText(ends?.[0] ?? null);
  return `detects ${sizesText(ends)} % by case (90 % power)`;
}

function nothingText({ base, head, counts, not_compared: [group] }: Comparison): string {
  const missing = [base, head]
    .filter(({ case_count }) => case_count === 0)
    .map(({ commit }) => shortSha(commit.sha));
  if (missing.length === 2) return "No results for either commit";
  if (missing.length === 1) return `No results for ${missing[0]}`;
  const { all } = totalsOf(counts);
  const count = all === 1 ? "The only case is not" : `None of ${counted(all, "case")} is`;
  return `${count} comparable${group === undefined ? "" : `: ${reasonsOf(group).join("; ")}`}`;
}
