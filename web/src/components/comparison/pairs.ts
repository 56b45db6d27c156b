/** The pairs of a comparison: what is said of each, in which order, and by which name. Pure. */
import type { Comparison, ComparisonPair, KindCounts } from "@/api/types";
import { benchmarkName, caseName, endsOf, headlineName } from "@/lib/cases";
import { distinct, groupBy } from "@/lib/collections";
import { isImported, toolName } from "@/lib/imports";
import { distinguishing } from "@/lib/methodology";
import { modeName, placementName, scenarioName } from "@/lib/vocabulary";
import { boundsOf, signedText } from "./shares";

/** What is said of a pair that is compared, the most urgent first. */
export const KINDS = ["slower", "faster", "elsewhere", "inconclusive", "unchanged"] as const;
export type Kind = (typeof KINDS)[number];

/** What the kinds are called. */
export const KIND_NAMES: Record<Kind, string> = {
  slower: "slower",
  faster: "faster",
  elsewhere: "changed in p90, p99 or shape alone",
  inconclusive: "inconclusive",
  unchanged: "did not change",
};

/** One figure of a pair that changed. */
export type Change = {
  figure: "p50" | "p90" | "p99";
  change: number;
  interval: [low: number, high: number] | null;
};

/** The compared pairs of each kind, in the order in which the server tells them: those that changed most first. */
export function byKind(pairs: readonly ComparisonPair[]): Record<Kind, ComparisonPair[]> {
  const kinds = groupBy(pairs, ({ kind }) => kind);
  const of = (kind: Kind) => kinds.get(kind) ?? [];
  return {
    slower: of("slower"),
    faster: of("faster"),
    elsewhere: of("elsewhere"),
    inconclusive: of("inconclusive"),
    unchanged: of("unchanged"),
  };
}

/** How many pairs were compared, and how many there are. */
export function totalsOf(counts: KindCounts): { compared: number; all: number } {
  const compared = KINDS.reduce((sum, kind) => sum + counts[kind], 0);
  return { compared, all: compared + counts.not_comparable };
}

/** The p50, where it changed. */
export function p50Change({ verdict, change, change_interval }: ComparisonPair): Change | null {
  if (change === null || (verdict !== "regressed" && verdict !== "improved")) return null;
  return { figure: "p50", change, interval: boundsOf(change_interval) };
}

/** The p90 and the p99, where they changed. */
export function besideChanges(pair: ComparisonPair): Change[] {
  return (["p90", "p99"] as const).flatMap((figure) => {
    const beside = pair[figure];
    if (beside?.verdict == null || beside.change === null) return [];
    return [{ figure, change: beside.change, interval: boundsOf(beside.change_interval) }];
  });
}

/** The largest of some changes. */
export function largest<T extends { change: number }>(changes: T[]): T | null {
  return changes.reduce<T | null>(
    (most, one) => (most === null || Math.abs(one.change) > Math.abs(most.change) ? one : most),
    null,
  );
}

/** What a row says beside its p50: other quantiles, the shape, why nothing is said, and what was odd about a side. */
export function remarksOf(pair: ComparisonPair): string[] {
  const quantiles = besideChanges(pair).map(({ figure, change }) => `${figure} ${signedText(change)}`);
  const shape =
    pair.shape?.changed === true
      ? [`another shape: ${pair.shape.difference ?? "no one quantile tells"}`]
      : [];
  const modified = (["base", "head"] as const).filter((side) => pair[side]?.work_tree_modified === true);
  return [
    ...(quantiles.length > 0 ? [quantiles.join(", ")] : []),
    ...shape,
    ...(pair.undecided === null ? [] : [withoutInterval(pair.undecided)]),
    ...(modified.length > 0 ? [`${modified.join(" and ")} of a modified work tree`] : []),
  ];
}

/** Why nothing is said, without the interval, which has a column of its own. */
function withoutInterval(reason: string): string {
  return reason.replace(/^too noisy: the interval [^;]*/, "too noisy");
}

/** Where a pair was measured. */
export function machineOf({ base, head }: ComparisonPair): string {
  return (head ?? base)?.machine ?? "";
}

/** A pair in a table: `unix-stream round trip 64 KiB, two processes, same CPU`. */
export function rowName(pair: ComparisonPair): string {
  return `${transportName(pair)} ${caseName(pair.case)}`;
}

/** What a pair was measured on, in a table. */
export function transportName({ transport }: ComparisonPair): string {
  return isImported({ transport }) ? toolName(transport) : transport.slug;
}

/**
 * A pair to begin a sentence, told from the others of its machine: `64 KiB messages over unix-stream, across CPUs,`. Where not
 * all of them are known here, all that could tell it from others is said.
 */
export function subjectOf(pair: ComparisonPair, { pairs, counts }: Comparison): string {
  const { transport, case: kase } = pair;
  if (benchmarkName(kase) !== null) return `${headlineName(kase)} of ${toolName(transport)}`;
  const name = headlineName(kase);
  const isWhole = pairs.length === totalsOf(counts).all;
  const alike = pairs.filter(
    (other) =>
      other.transport.slug === transport.slug &&
      headlineName(other.case) === name &&
      machineOf(other) === machineOf(pair),
  );
  const traits = [
    (of: ComparisonPair) => scenarioName(of.case.scenario),
    (of: ComparisonPair) => modeName(of.case.mode, endsOf(of.case)),
    (of: ComparisonPair) => placementName(of.case.placement),
  ]
    .filter((trait) => !isWhole || distinct(alike.map(trait)).length > 1)
    .map((trait) => trait(pair));
  const method = pair.head?.methodology;
  const others = alike.flatMap(({ head }) => head?.methodology ?? []);
  const told = [...traits, ...(method === undefined ? [] : distinguishing(method, others))];
  return `${name} over ${transport.slug}${told.length === 0 ? "" : `, ${told.join(", ")},`}`;
}

/** What tells a pair from all others of a comparison. */
export function keyOf({ base, head }: ComparisonPair): string {
  return `${base?.series_id ?? ""}.${head?.series_id ?? ""}.${head?.run_id ?? ""}`;
}
