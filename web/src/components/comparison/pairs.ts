/** The pairs of a comparison: what is said of each, in which order, and by which name. Pure. */
import type { Comparison, ComparisonPair, KindCounts, NotCompared } from "@/api/types";
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

/** What is said of a pair that is compared, the most urgent first. */
export const KINDS = ["slower", "faster", "elsewhere", "inconclusive", "unchanged"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_NAMES: Record<Kind, string> = {
  slower: "slower",
  faster: "faster",
  elsewhere: "changed in p90, p99 or shape alone",
  inconclusive: "inconclusive",
  unchanged: "did not change",
};

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

export function p50Change({ verdict, change, change_interval }: ComparisonPair): Change | null {
  if (change === null || (verdict !== "regressed" && verdict !== "improved")) return null;
  return { figure: "p50", change, interval: boundsOf(change_interval) };
}

export function besideChanges(pair: ComparisonPair): Change[] {
  return (["p90", "p99"] as const).flatMap((figure) => {
    const beside = pair[figure];
    if (beside?.verdict == null || beside.change === null) return [];
    return [{ figure, change: beside.change, interval: boundsOf(beside.change_interval) }];
  });
}

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

function withoutInterval(reason: string): string {
  return reason.replace(/: interval [^;]*/, "");
}

export function machineOf({ base, head }: ComparisonPair): string {
  return (head ?? base)?.machine ?? "";
}

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

/** The ends of an interval; null where there is none. */
export function boundsOf(interval: readonly number[] | null | undefined): [low: number, high: number] | null {
  const [low, high] = interval ?? [];
  return low === undefined || high === undefined ? null : [low, high];
}

/** How large a change is, whichever way it goes: `15.4 %`. */
export function sizeText(share: number): string {
  return `${digitsOf(share)} %`;
}

/** By how much times are longer: `+15.4 %`; shorter by `−3.0 %`. */
export function signedText(share: number): string {
  return `${share < 0 ? MINUS : "+"}${digitsOf(share)} %`;
}

/** An interval without its unit: `12.1 to 18.9`, `−2.1 to 3.0`. */
export function intervalText([low, high]: [number, number]): string {
  return [low, high].map((end) => `${end < 0 ? MINUS : ""}${digitsOf(end)}`).join(" to ");
}

/** The same of sizes, the smaller one first: of a change that is told as slower or faster. */
export function sizesText([low, high]: [number, number]): string {
  const isOneWay = low < 0 === high < 0;
  return isOneWay
    ? [low, high].map(Math.abs).sort(ascending).map(digitsOf).join(" to ")
    : intervalText([low, high]);
}

/** A text in which no number is apart from its unit, and no interval is cut. */
export function unbrokenShares(text: string): string {
  return text.replace(/[\d.,]+ %|\([\d.,−]+ to [\d.,−]+\)/g, unbroken);
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

const NAMES: Record<string, string> = {
  "environment.cpu.microcode": "microcode",
  "environment.cpu.mitigations": "mitigations of the processor",
  "environment.cpu.model": "processor",
  "environment.os.distribution": "distribution",
  "environment.os.kernel": "kernel",
  batch: "operations timed together",
  build: "build",
  clock: "clock",
  discarded_repetitions: "discarded repetitions",
  machine: "machine",
  on_full: "when the channel is full",
  oversubscribed: "more threads than processors",
  payload: "payload",
  probe: "probe",
  protocol_version: "version of the way of measuring",
  receive: "who waits to receive",
  send: "sending",
  statistic: "what is stated",
  storage: "memory",
  wake: "wake-ups",
  warmup: "warm-up operations",
  window: "messages in flight",
};

const VALUES: Record<string, (slug: string) => string> = {
  on_full: onFullName,
  oversubscribed: (value) => (value === "true" ? "yes" : "no"),
  receive: receiveName,
  storage: storageName,
  wake: wakeName,
};

/** Numbers of messages that arrived are of each case alone. */
const OF_EACH = "delivered";

/** Why not, the reasons of most cases first, each with those of its pairs that are known here. */
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

/** What is to be told of one case, which its group does not: how much arrived. */
export function lossOf({ differences }: ComparisonPair): string | null {
  const loss = differences.find(({ what }) => what === OF_EACH);
  return loss === undefined ? null : `arrived ${loss.base} against ${loss.head}`;
}

/** Why a pair is not compared; nothing of one that is. */
export function whyNot({ differences, reasons }: Reasons): string[] {
  return [...differences.map(differenceText), ...reasons.map(reasonText)];
}

/** One difference in words: `kernel: 6.12.4 against 6.12.9`. */
function differenceText({ what, base, head }: Difference): string {
  if (what === OF_EACH) return "messages were lost or altered";
  const name = NAMES[what] ?? what.replace(/^environment\./, "").replace(/[._]/g, " ");
  const value = (slug: string) => (slug === "absent" ? "not told" : (VALUES[what]?.(slug) ?? slug));
  return `${name}: ${value(base)} against ${value(head)}`;
}

function titleOf(of: Reasons): string {
  return whyNot(of).join("; ") || "no reason is told";
}

/** A missing side: `not measured in the base`. */
function reasonText(reason: string): string {
  return reason.replace(/^not in the /, "not measured in the ");
}
