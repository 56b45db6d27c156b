/** Converts a run to the tables of its page. Pure. */
import type { Case, Point, RunDetail, RunResult, StatedPoint } from "@/api/types";
import { entryName, listOf } from "@/components/series/traits";
import { benchmarkName, byParameters, caseName, isSameCase, parameterNames, parametersOf } from "@/lib/cases";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { shortSha } from "@/lib/commits";
import {
  byName,
  intervalOf,
  isImported,
  isImportInFull,
  statedTimes,
  timeName,
  toolName,
  valuedKey,
} from "@/lib/imports";
import { distinguishing } from "@/lib/methodology";
import { isWhole } from "@/lib/points";
import { prunedNote } from "@/lib/pruned";
import { formatBytesExactly, type Valued } from "@/lib/units";

export type MeasuredResult = RunResult & { point: Point };
const isMeasured = (result: RunResult): result is MeasuredResult => result.point !== null;

export type StatedResult = RunResult & { summary: StatedPoint };
const isStated = (result: RunResult): result is StatedResult => result.summary !== null;

/** The results of a run by outcome. */
export type SortedResults = ReturnType<typeof sortResults>;

/** Sorts results by outcome, filtered by transport or benchmark name. */
export function sortResults(results: RunResult[], wanted: string) {
  const matching = results.filter((result) => matches(result, wanted)).sort(byCase);
  const withPoint = matching.filter(isMeasured);
  return {
    /** By scenario. */
    measured: groupBy(
      withPoint.filter((result) => !isImported(result)),
      (result) => result.case.scenario,
    ),
    /** Imported results with samples; `stated` has those without. */
    imported: withPoint.filter(isImported),
    stated: matching.filter(isStated),
    unsupported: withCases(
      matching.flatMap(({ transport, unsupported, case: kase }) =>
        unsupported == null ? [] : [[{ transport: transport.slug, reason: unsupported }, kase]],
      ),
    ),
    failures: matching.flatMap((result) =>
      result.failures.map(({ repetition, reason }) => ({
        transport: result.transport.slug,
        caseName: caseName(result.case),
        repetition,
        reason,
      })),
    ),
  };
}

/** Imported results with the same measure and operations per time. */
export type ImportedTable<R extends RunResult> = ReturnType<typeof importedTables<R>>[number];

/** Imported results grouped by measure and operations per time, so that different quantities are never mixed. */
export function importedTables<R extends RunResult>(results: R[]) {
  const tables = [...groupBy(results, (result) => valuedKey(result.case))].sort(([a], [b]) => byName(a, b));
  const all = tables.map(([, [first]]) => first.case);
  return tables.map(([key, ofTable]) => {
    const valued = ofTable[0].case;
    const isPlain = timeName(valued) === null;
    return {
      key,
      valued,
      time: labelOf(valued, all),
      isPlain,
      isOfOne: isPlain || valued.measure != null,
      results: ofTable.toSorted((a, b) => byName(benchmarkName(a.case) ?? "", benchmarkName(b.case) ?? "")),
    };
  });
}

/** What the values of a table are, with their unit if several tables would have the same name. */
function labelOf(valued: Valued, all: Valued[]): string {
  const name = timeName(valued) ?? "time of 1 operation";
  const isUnique = all.filter((other) => timeName(other) === timeName(valued)).length === 1;
  return isUnique ? name : `${name}, ${valued.measure?.unit || "no unit"}`;
}

/** The columns that any stated result has; `statistic` is `null` if it differs. */
export function statedColumns(results: StatedResult[]) {
  const statistics = distinct(results.map(({ methodology }) => methodology.statistic ?? null));
  const summaries = results.map(({ summary }) => summary);
  return {
    statistic: statistics.length === 1 ? (statistics[0] ?? null) : null,
    hasInterval: summaries.some((summary) => intervalOf(summary) !== null),
    times: statedTimes(summaries),
  };
}

export type ResultTable = ReturnType<typeof resultTable>;

export type ResultRow = MeasuredResult & { parameters: string[] };

/** The tables of one scenario: lossy and lossless results are separate, and lossy ones have no axis. */
export function resultTables(results: MeasuredResult[]) {
  const rows = results.map((result) => ({ ...result, parameters: traitsOf(result, results) }));
  const ofLoss = (isLossy: boolean) =>
    resultTable(
      rows.filter(({ point }) => point.lossy === isLossy),
      isLossy,
    );
  return { lossless: ofLoss(false), lossy: ofLoss(true) };
}

function resultTable(rows: ResultRow[], isLossy: boolean) {
  return {
    rows,
    isLossy,
    /** The axis of all shapes; `null` if results are not comparable. */
    domain: isLossy ? null : sharedDomain(rows),
    /** Optional columns. */
    columns: {
      hasMessages: rows.some(({ case: kase }) => kase.messages != null),
      hasRate: rows.some(({ point }) => point.bytes_per_second != null),
      hasDueTimes: rows.some(({ observed }) => observed?.late != null || observed?.missed != null),
    },
    hasOversubscribed: rows.some(({ observed }) => observed?.oversubscribed === true),
  };
}

/** Parameters and methodology that distinguish a result from others of its run. */
export function traitsOf(result: RunResult, others: RunResult[]): string[] {
  const { transport, case: kase, methodology } = result;
  const rivals = others.filter(
    (other) => other.transport.slug === transport.slug && isSameCase(other.case, kase),
  );
  return [
    ...parameterNames(kase),
    ...(methodology.probe == null ? [] : [`probe ${methodology.probe}`]),
    ...distinguishing(
      methodology,
      rivals.map((rival) => rival.methodology),
    ),
  ];
}

/** A transport with the same parameters at several sizes: the time at each size, and how many times the fastest it is. */
export type SizeRow = {
  name: string;
  cells: ReadonlyMap<number, { result: MeasuredResult; ns: number; ratio: number }>;
};

/** The lossless results of one mode and placement by transport and size, the fastest transports first. */
export function sizeMapOf(results: MeasuredResult[]) {
  const comparable = results.filter(({ point, case: kase }) => !point.lossy && kase.size_profile == null);
  const fastest = new Map<number, number>();
  for (const { point, case: kase } of comparable) {
    const size = kase.message_bytes;
    fastest.set(size, Math.min(fastest.get(size) ?? Number.POSITIVE_INFINITY, point.latency_ns.p50));
  }
  const { entries } = listOf(comparable, (result) => result);
  const rows = [...groupBy(entries, (entry) => entryName(entry, ["transport", "parameters"]))].map(
    ([name, ofRow]): SizeRow => ({
      name,
      cells: new Map(
        ofRow.map(({ row: result }) => {
          const { point, case: kase } = result;
          const ns = point.latency_ns.p50;
          const ratio = ns / Math.max(1, fastest.get(kase.message_bytes) ?? ns);
          return [kase.message_bytes, { result, ns, ratio }];
        }),
      ),
    }),
  );
  const meanRatio = ({ cells }: SizeRow) =>
    [...cells.values()].reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / cells.size;
  return {
    sizes: [...fastest.keys()].sort(ascending),
    rows: rows.sort((a, b) => meanRatio(a) - meanRatio(b)),
    largest: Math.max(1, ...rows.flatMap(({ cells }) => [...cells.values()].map(({ ratio }) => ratio))),
  };
}

/** The place of a ratio between 1 and the largest one, on a logarithmic scale: 0 to 1. */
export function shadeOf(ratio: number, largest: number): number {
  return largest <= 1 ? 0 : Math.log(Math.max(1, ratio)) / Math.log(largest);
}

/** Results where a receiver did not get every accepted message, by receiver. */
export function deliveryGroups(results: MeasuredResult[]) {
  return results
    .map(({ series_id, transport, case: kase, observed }) => ({
      series_id,
      transport: transport.slug,
      caseName: caseName(kase),
      deliveries: observed?.deliveries ?? [],
    }))
    .filter(({ deliveries }) => !deliveries.every(isWhole));
}

/** The granted buffers: "64 KiB" or "send 208 KiB, receive 64 KiB". */
export function grantedBuffers({ counters }: Pick<RunResult, "counters">): string | null {
  const buffers = Object.entries(counters)
    .sort(([a], [b]) => ascending(b, a))
    .flatMap(([key, bytes]) => {
      const side = /^effective_(?:(.+)_)?buffer_bytes$/.exec(key);
      return side === null ? [] : [{ side: side[1]?.replaceAll("_", " "), size: formatBytesExactly(bytes) }];
    });
  const [first] = buffers;
  if (first === undefined) return null;
  return buffers.every(({ size }) => size === first.size)
    ? first.size
    : buffers.map(({ side, size }) => (side === undefined ? size : `${side} ${size}`)).join(", ");
}

/** Requested and granted buffers, grouped by equal values. */
export function bufferGroups(results: MeasuredResult[]) {
  const groups = results.flatMap(
    (result): [{ transport: string; requested: string; granted: string }, Case][] => {
      const { transport, case: kase } = result;
      const granted = grantedBuffers(result);
      const requested = kase.buffer_bytes == null ? "default" : formatBytesExactly(kase.buffer_bytes);
      return granted === null ? [] : [[{ transport: transport.slug, requested, granted }, kase]];
    },
  );
  return withCases(groups).sort((a, b) => ascending(a.transport, b.transport));
}

/** Facts that the measured programs report, once per program. */
export function programFacts(results: RunResult[]): { name: string; value: string }[] {
  const programs = new Map<string, string>();
  for (const { transport, case: kase, facts } of results) {
    const entries = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
    const name = kase.variant == null ? transport.slug : `${transport.slug}, ${kase.variant}`;
    if (entries.length > 0) programs.set(name, entries.join(", "));
  }
  return [...programs].map(([name, value]) => ({ name, value })).sort((a, b) => ascending(a.name, b.name));
}

export function probesOf(results: RunResult[]): string[] {
  return distinct(results.flatMap(({ methodology }) => methodology.probe ?? [])).sort();
}

/** A number with an optional time unit. */
const FIGURE = /\d[\d.,]*( (ns|µs|ms|s)\b)?/g;

/** Reasons for disturbed repetitions, the most frequent first. */
export function disturbedGroups(results: MeasuredResult[]) {
  // Reasons that differ only in numbers are merged; the first is shown.
  const groups = new Map<string, { reason: string; times: number; cases: string[] }>();
  for (const { transport, case: kase, observed } of results) {
    for (const { reason, repetition_count } of observed?.disturbed ?? []) {
      const key = reason.replace(FIGURE, "#");
      const group = groups.get(key) ?? { reason, times: 0, cases: [] };
      group.times += repetition_count;
      group.cases = distinct([...group.cases, `${transport.slug}: ${caseName(kase)}`]);
      groups.set(key, group);
    }
  }
  return [...groups.values()].sort((a, b) => b.times - a.times);
}

/** The shared axis of all shapes: from the smallest minimum to the largest maximum. */
export function sharedDomain(results: MeasuredResult[]): [number, number] {
  return [
    results.reduce((least, { point }) => Math.min(least, point.latency_ns.min), Number.POSITIVE_INFINITY),
    results.reduce((most, { point }) => Math.max(most, point.latency_ns.max), 1),
  ];
}

/** The agent's value on systems where the suite is tested. */
const TESTED_HERE = "on this system";

/** Whether the run was generated, not measured. */
export function isSynthetic({ stable }: Pick<RunDetail["environment"], "stable">): boolean {
  return stable.synthetic !== undefined;
}

/** A warning for synthetic data, Wine, and systems where the suite is untested. */
export function platformWarning({ stable, conditions }: RunDetail["environment"]): string | undefined {
  if (isSynthetic({ stable })) return "Synthetic data, generated by roundtrip-server seed.";
  const wine = stable["os.wine"];
  if (wine) return `Measured under Wine ${wine}. Not representative of Windows.`;
  const tested = conditions["suite.tested"] ?? TESTED_HERE;
  return tested === TESTED_HERE ? undefined : `The suite was tested ${tested}.`;
}

export function warningsOf(detail: RunDetail): string[] {
  const { run, environment, pruned } = detail;
  const isFromFile = isImportInFull(detail);
  const isSeeded = isSynthetic(environment);
  const probes = probesOf(detail.results);
  const warnings = [
    run.superseded && "Superseded: another agent took over the job. Excluded from trends and comparisons.",
    run.quarantined && "Quarantined: untrusted source, such as a fork. Excluded from trends.",
    run.work_tree_modified && "Modified or unbuilt: results may not match the commit.",
    !isFromFile &&
      !isSeeded &&
      run.build !== "release" &&
      `Measured with a ${run.build} build. Do not compare these results.`,
    !isFromFile && platformWarning(environment),
    probes.length > 0 && `Measured with probe ${probes.join(", ")}. Not comparable with results without it.`,
    !isSeeded && prunedNote(pruned),
  ];
  return warnings.filter((warning) => typeof warning === "string");
}

export function factsOf(facts: Record<string, string>): { name: string; value: string; isAbsent: boolean }[] {
  return Object.entries(facts)
    .sort(([a], [b]) => ascending(a, b))
    .map(([name, value]) => ({ name, value, isAbsent: value.startsWith("not available") }));
}

export function runTitle({ run, original, results }: RunDetail): string {
  const commit = shortSha(run.commit.sha);
  const tool = results[0]?.transport;
  return isImportInFull({ original, results }) && tool !== undefined
    ? `${commit}, imported from ${toolName(tool)}`
    : `${commit} on ${run.machine}`;
}

/** The variants of `roundtrip ab`. */
const SIDES = ["base", "head"];

/** Whether a run contains exactly the two sides of a comparison. */
export function isOfTwoSides({ results }: Pick<RunDetail, "results">): boolean {
  const variants = distinct(results.map(({ case: kase }) => kase.variant ?? ""));
  return variants.toSorted().join() === SIDES.join();
}

/** The commands that reproduce the run in a clone of the project. */
export function reproCommands({ run, results }: RunDetail): string[] {
  const probe = results.find(({ methodology }) => methodology.probe)?.methodology.probe;
  const option = probe ? ` --probe ${probe}` : "";
  return [`git checkout ${run.commit.sha}`, `roundtrip run --preset ${run.preset}${option}`];
}

function matches({ transport, case: kase }: RunResult, wanted: string): boolean {
  const text = wanted.trim().toLowerCase();
  const names = [transport.slug, transport.title, benchmarkName(kase) ?? ""];
  return names.some((name) => name.toLowerCase().includes(text));
}

/** Groups equal facts, with the cases of each. */
function withCases<Facts extends object>(entries: [Facts, Case][]): (Facts & { cases: string[] })[] {
  const groups = new Map<string, Facts & { cases: string[] }>();
  for (const [facts, kase] of entries) {
    const key = JSON.stringify(facts);
    groups.set(key, { ...facts, cases: [...(groups.get(key)?.cases ?? []), caseName(kase)] });
  }
  return [...groups.values()];
}

function byCase(a: RunResult, b: RunResult): number {
  return (
    ascending(a.case.scenario, b.case.scenario) ||
    ascending(a.transport.slug, b.transport.slug) ||
    ascending(a.case.mode, b.case.mode) ||
    ascending(a.case.placement, b.case.placement) ||
    a.case.message_bytes - b.case.message_bytes ||
    byParameters(parametersOf(a.case), parametersOf(b.case))
  );
}
