/** The pairs of a comparison: kinds, order and names. Pure. */
import type { Comparison, ComparisonPair, KindCounts, MeasuredSide, NotCompared } from "@/api/types";
import type { Described } from "@/components/series/traits";
import { benchmarkName, endsOf, headlineName } from "@/lib/cases";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { isImported, toolName } from "@/lib/imports";
import { distinguishing } from "@/lib/methodology";
import { unbroken } from "@/lib/units";
import {
  modeName,
  onFullName,
  placementName,
  receiveName,
  scenarioName,
  storageName,
  wakeName,
} from "@/lib/vocabulary";
import { KINDS, type Kind } from "./search";

export const KIND_NAMES: Record<Kind, string> = {
  slower: "slower",
  faster: "faster",
  elsewhere: "tail or shape changed",
  inconclusive: "inconclusive",
  unchanged: "unchanged",
};

export type Change = {
  figure: "p50" | "p90" | "p99";
  change: number;
  interval: [low: number, high: number] | null;
};

/** The compared pairs of each kind, in the server's order: the largest changes first. */
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

/** The number of compared pairs, and of all pairs. */
export function totalsOf(counts: KindCounts): { compared: number; all: number } {
  const compared = KINDS.reduce((sum, kind) => sum + counts[kind], 0);
  return { compared, all: compared + counts.not_comparable };
}

export function p50Change({ verdict, change, change_interval }: ComparisonPair): Change | null {
  if (change === null || (verdict !== "regressed" && verdict !== "improved")) return null;
  return { figure: "p50", change, interval: boundsOf(change_interval) };
}

export function tailChanges(pair: ComparisonPair): Change[] {
  return (["p90", "p99"] as const).flatMap((figure) => {
    const tail = pair[figure];
    if (tail?.verdict == null || tail.change === null) return [];
    return [{ figure, change: tail.change, interval: boundsOf(tail.change_interval) }];
  });
}

export function largest<T extends { change: number }>(changes: T[]): T | null {
  return changes.reduce<T | null>(
    (most, one) => (most === null || Math.abs(one.change) > Math.abs(most.change) ? one : most),
    null,
  );
}

/** Remarks below the case: tail, shape, why it is inconclusive, power, and runs that may not match the commit. */
export function remarksOf(pair: ComparisonPair): string[] {
  const quantiles = tailChanges(pair).map(({ figure, change }) => `${figure} ${signedText(change)}`);
  const shape =
    pair.shape?.changed === true
      ? [["shape changed", pair.shape.difference].filter((part) => part !== null).join(": ")]
      : [];
  const modified = (["base", "head"] as const).filter((side) => pair[side]?.work_tree_modified === true);
  return [
    ...(quantiles.length > 0 ? [quantiles.join(", ")] : []),
    ...shape,
    ...(pair.undecided === null ? [] : [withoutInterval(pair.undecided)]),
    ...(pair.verdict === "no change" ? [powerText(pair.detectable_change)] : []),
    ...(modified.length > 0 ? [`${modified.join(" and ")}: modified or unbuilt`] : []),
  ];
}

/** The minimum detectable change: how small a slowdown would have been reported. */
export function powerText(detectable: number | null): string {
  if (detectable === null) return "too few repetitions to detect changes";
  return `detects ≥ ${sizeText(detectable)} (90 % power)`;
}

/** The remark that all pairs of a kind have, if there are several. */
export function sharedRemarks(pairs: readonly ComparisonPair[]): Map<ComparisonPair["kind"], string> {
  const kinds = groupBy(pairs, ({ kind }) => kind);
  return new Map(
    [...kinds].flatMap(([kind, [first, ...others]]) => {
      const remarks = others.map(remarksOf);
      const found = remarksOf(first).find((remark) => remarks.every((ofPair) => ofPair.includes(remark)));
      return found === undefined || others.length === 0 ? [] : [[kind, found] as const];
    }),
  );
}

function withoutInterval(reason: string): string {
  return reason.replace(/: interval [^;]*/, "");
}

/** A pair with both sides. */
export type ComparedPair = ComparisonPair & { base: MeasuredSide; head: MeasuredSide };

export function isCompared(pair: ComparisonPair): pair is ComparedPair {
  return pair.base !== null && pair.head !== null;
}

export function describePair({ transport, case: kase, head }: ComparedPair): Described {
  return { transport, case: kase, methodology: head.methodology, machine: head.machine };
}

export function machineOf({ base, head }: ComparisonPair): string {
  return (head ?? base)?.machine ?? "";
}

export function transportName({ transport }: ComparisonPair): string {
  return isImported({ transport }) ? toolName(transport) : transport.slug;
}

/**
 * A pair at the start of a sentence, with the traits that distinguish it from others on its machine:
 * `64 KiB messages over unix-stream, across CPUs,`. If some pairs are not loaded, all traits are included.
 */
export function subjectOf(pair: ComparisonPair, { pairs, counts }: Comparison): string {
  const { transport, case: kase } = pair;
  if (benchmarkName(kase) !== null) return `${headlineName(kase)} (${toolName(transport)})`;
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
  const named = [...traits, ...(method === undefined ? [] : distinguishing(method, others))];
  return `${name} over ${transport.slug}${named.length === 0 ? "" : `, ${named.join(", ")},`}`;
}

/** A key that is unique within a comparison. */
export function keyOf({ base, head }: ComparisonPair): string {
  return `${base?.series_id ?? ""}.${head?.series_id ?? ""}.${head?.run_id ?? ""}`;
}

/** The ends of an interval; `null` without one. */
export function boundsOf(interval: readonly number[] | null | undefined): [low: number, high: number] | null {
  const [low, high] = interval ?? [];
  return low === undefined || high === undefined ? null : [low, high];
}

/** The size of a change without its sign: `15.4 %`. */
export function sizeText(share: number): string {
  return `${digitsOf(share)} %`;
}

/** A change with its sign: `+15.4 %` is slower, `−3.0 %` is faster. */
export function signedText(share: number): string {
  return `${share < 0 ? MINUS : "+"}${digitsOf(share)} %`;
}

/** An interval without its unit: `12.1 to 18.9`, `−2.1 to 3.0`. */
export function intervalText([low, high]: [number, number]): string {
  return [low, high].map((end) => `${end < 0 ? MINUS : ""}${digitsOf(end)}`).join(" to ");
}

/** An interval of sizes without signs, the smaller first: for changes described as slower or faster. */
export function sizesText([low, high]: [number, number]): string {
  const isOneWay = low < 0 === high < 0;
  return isOneWay
    ? [low, high].map(Math.abs).sort(ascending).map(digitsOf).join(" to ")
    : intervalText([low, high]);
}

/** Inserts non-breaking spaces into percentages and intervals. */
export function unbrokenShares(text: string): string {
  return text.replace(/[\d.,]+ %|[\d.,−]+ to [\d.,−]+(?=\))/g, unbroken);
}

const MINUS = "\u2212";

function digitsOf(share: number): string {
  const percent = Math.abs(share * 100);
  if (percent >= 99.95) return Math.round(percent).toLocaleString("en");
  return percent.toFixed(percent === 0 || percent >= 0.095 ? 1 : 2);
}

type Difference = ComparisonPair["differences"][number];

export type Group = { title: string; count: number; machines: string[]; pairs: ComparisonPair[] };

type Reasons = Pick<NotCompared, "differences" | "reasons">;

/** Fields whose name differs from their key. */
const NAMES: Record<string, string> = {
  "environment.cpu.microcode": "microcode",
  "environment.cpu.mitigations": "processor mitigations",
  "environment.cpu.model": "processor",
  "environment.os.distribution": "distribution",
  "environment.os.kernel": "kernel",
  batch: "batch size",
  on_full: "when full",
  storage: "memory",
  wake: "wake-ups",
  warmup: "warm-up operations",
};

const VALUES: Record<string, (slug: string) => string> = {
  on_full: onFullName,
  oversubscribed: (value) => (value === "true" ? "yes" : "no"),
  receive: receiveName,
  storage: storageName,
  wake: wakeName,
};

/** Delivery counts differ by case, so they are not part of a group's title. */
const DELIVERED = "delivered";

/** Reasons with their loaded pairs, the most frequent first. */
export function groupsOf({ not_compared, pairs }: Pick<Comparison, "not_compared" | "pairs">): Group[] {
  const known = groupBy(
    pairs.filter(({ kind }) => kind === "not-comparable"),
    titleOf,
  );
  return not_compared.map((group) => {
    const title = titleOf(group);
    const { pair_count, machines } = group;
    return { title, count: pair_count, machines, pairs: known.get(title) ?? [] };
  });
}

/** The delivery counts of one case. */
export function lossOf({ differences }: ComparisonPair): string | null {
  const loss = differences.find(({ what }) => what === DELIVERED);
  return loss === undefined ? null : `delivered ${loss.base} vs ${loss.head}`;
}

/** Why a pair is not comparable; empty if it is. */
export function reasonsOf({ differences, reasons }: Reasons): string[] {
  return [...differences.map(differenceText), ...reasons.map(reasonText)];
}

/** One difference: `kernel: 6.12.4 vs 6.12.9`. */
function differenceText({ what, base, head }: Difference): string {
  if (what === DELIVERED) return "lost or altered messages";
  const name = NAMES[what] ?? what.replace(/^environment\./, "").replace(/[._]/g, " ");
  const value = (slug: string) => (slug === "absent" ? "unknown" : (VALUES[what]?.(slug) ?? slug));
  return `${name}: ${value(base)} vs ${value(head)}`;
}

function titleOf(of: Reasons): string {
  return reasonsOf(of).join("; ") || "unknown reason";
}

/** A missing side or a changed machine: `not measured in the base`, `machine changed (canary wake +23 %)`. */
function reasonText(reason: string): string {
  return reason
    .replace(/^not in the /, "not measured in the ")
    .replace(/^(machine changed): (.*)$/, "$1 ($2)");
}
