/** From a run's answer to the tables that show it. Pure. */
import type { Case, Point, RunDetail, RunResult, StatedPoint } from "@/api/types";
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
} from "@/lib/imports";
import { distinguishing } from "@/lib/methodology";
import { isWhole } from "@/lib/points";
import { prunedNote } from "@/lib/pruned";
import { formatBytesExactly } from "@/lib/units";

export type MeasuredResult = RunResult & { point: Point };
const isMeasured = (result: RunResult): result is MeasuredResult => result.point !== null;

export type StatedResult = RunResult & { summary: StatedPoint };
const isStated = (result: RunResult): result is StatedResult => result.summary !== null;

/** The results of a run by what came of them. */
export type SortedResults = ReturnType<typeof sortResults>;

/** Sorts a run's results, of the transports, or benchmarks, whose name contains the wanted text. */
export function sortResults(results: RunResult[], wanted: string) {
  const matching = results.filter((result) => matches(result, wanted)).sort(byCase);
  const withPoint = matching.filter(isMeasured);
  return {
    /** By scenario. */
    measured: groupBy(
      withPoint.filter((result) => !isImported(result)),
      (result) => result.case.scenario,
    ),
    /** What another tool measured, with its samples, and what it only states. */
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

/** Results of another tool whose times are of equally many operations. */
export type ImportedTable<R extends RunResult> = ReturnType<typeof importedTables<R>>[number];

/** Results of another tool by how many operations a time is of: times of one never stand beside times of a thousand. */
export function importedTables<R extends RunResult>(results: R[]) {
  return [...groupBy(results, ({ case: kase }) => kase.operations ?? 1)]
    .sort(([a], [b]) => ascending(a, b))
    .map(([operations, ofTable]) => ({
      time: timeName({ operations }) ?? "time of one operation",
      isOfOne: operations === 1,
      results: ofTable.toSorted((a, b) => byName(benchmarkName(a.case) ?? "", benchmarkName(b.case) ?? "")),
    }));
}

/** The columns of stated results: only what any of them has; no statistic where it differs. */
export function statedColumns(results: StatedResult[]) {
  const statistics = distinct(results.map(({ methodology }) => methodology.statistic ?? null));
  const summaries = results.map(({ summary }) => summary);
  return {
    statistic: statistics.length === 1 ? (statistics[0] ?? null) : null,
    hasInterval: summaries.some((summary) => intervalOf(summary) !== null),
    times: statedTimes(summaries),
  };
}

/** Which file a run was imported from: `Imported from pipes.json, a file of Google Benchmark (JSON).` */
export function originOf({ original, results }: Pick<RunDetail, "original" | "results">): string {
  const title = results[0]?.transport.title ?? original?.format ?? "another tool";
  const what = original === null ? `a file of ${title}` : `${original.name}, a file of ${title}`;
  return `Imported from ${what}. How it was measured is what the tool and its benchmarks make of it.`;
}

export type ResultTable = ReturnType<typeof resultTable>;

type ResultRow = { result: MeasuredResult; apart: string[] };

/** The tables of one scenario: what lost messages never stands in one table with what did not, nor on an axis. */
export function resultTables(results: MeasuredResult[]) {
  const all = results.map((result) => ({ result, apart: setApart(result, results) }));
  const [first, ...others] = all.map(({ apart }) => apart);
  const isShared = (name: string) => others.length > 0 && others.every((apart) => apart.includes(name));
  // What all of them have in common besides the columns, told once.
  const shared = first?.filter(isShared) ?? [];
  const rows = all.map(({ result, apart }) => ({
    result,
    apart: apart.filter((name) => !shared.includes(name)),
  }));
  const ofLoss = (isLossy: boolean) =>
    resultTable(
      rows.filter(({ result }) => result.point.lossy === isLossy),
      isLossy,
    );
  return { shared, lossless: ofLoss(false), lossy: ofLoss(true) };
}

function resultTable(rows: ResultRow[], isLossy: boolean) {
  const results = rows.map(({ result }) => result);
  return {
    rows,
    /** The axis of all shapes; none where figures are not to be compared. */
    domain: isLossy ? null : sharedDomain(results),
    /** What only some results have, to be shown in columns of their own. */
    columns: {
      hasParameters: rows.some(({ result, apart }) => apart.length > 0 || result.observed?.oversubscribed),
      hasMessages: results.some(({ case: kase }) => kase.messages != null),
      hasRate: results.some(({ point }) => point.bytes_per_second != null),
      hasDueTimes: results.some(({ observed }) => observed?.late != null || observed?.missed != null),
    },
    hasOversubscribed: results.some(({ observed }) => observed?.oversubscribed === true),
  };
}

/** What sets a result apart from others of its run, besides the columns that every result has. */
export function setApart(result: RunResult, others: RunResult[]): string[] {
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

/** The results of which some receiver did not get everything that the transport took, receiver by receiver. */
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

/** The buffers that the system granted, as in "64 KiB" or "send 208 KiB, receive 64 KiB". */
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

/** Which buffers were asked for and which were granted, told once for all cases that agree. */
export function bufferGroups(results: MeasuredResult[]) {
  const groups = results.flatMap(
    (result): [{ transport: string; asked: string; granted: string }, Case][] => {
      const { transport, case: kase } = result;
      const granted = grantedBuffers(result);
      const asked = kase.buffer_bytes == null ? "the default" : formatBytesExactly(kase.buffer_bytes);
      return granted === null ? [] : [[{ transport: transport.slug, asked, granted }, kase]];
    },
  );
  return withCases(groups).sort((a, b) => ascending(a.transport, b.transport));
}

/** What the programs that a run measured say of themselves, told once for each. */
export function programFacts(results: RunResult[]): { name: string; value: string }[] {
  const programs = new Map<string, string>();
  for (const { transport, case: kase, facts } of results) {
    const said = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
    const name = kase.variant == null ? transport.slug : `${transport.slug}, ${kase.variant}`;
    if (said.length > 0) programs.set(name, said.join(", "));
  }
  return [...programs].map(([name, value]) => ({ name, value })).sort((a, b) => ascending(a.name, b.name));
}

export function probesOf(results: RunResult[]): string[] {
  return distinct(results.flatMap(({ methodology }) => methodology.probe ?? [])).sort();
}

/** A number, with its unit where that depends on the size of the number. */
const FIGURE = /\d[\d.,]*( (ns|µs|ms|s)\b)?/g;

/** Why repetitions are suspect, the most frequent first: the same remark about forty repetitions is one fact. */
export function disturbedGroups(results: MeasuredResult[]) {
  // Reasons that differ only in their figures are one, with the first as the example.
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

/** The axis that the shapes of all results share: from the smallest minimum to the largest maximum. */
export function sharedDomain(results: MeasuredResult[]): [number, number] {
  return [
    results.reduce((least, { point }) => Math.min(least, point.latency_ns.min), Number.POSITIVE_INFINITY),
    results.reduce((most, { point }) => Math.max(most, point.latency_ns.max), 1),
  ];
}

/** What an agent says of a system that the suite's own tests have run on. */
const TESTED_HERE = "on this system";

/** Whether figures were drawn to try the product with: nobody measured them. */
export function isSynthetic({ stable }: Pick<RunDetail["environment"], "stable">): boolean {
  return stable.synthetic !== undefined;
}

/** What is to be said first of figures from a system that the suite's tests never ran on, or from an imitation of one. */
export function trialNote({ stable, conditions }: RunDetail["environment"]): string | undefined {
  if (isSynthetic({ stable })) return "Synthetic: drawn by roundtrip-server seed, measured by nobody.";
  const wine = stable["os.wine"];
  if (wine) return `Measured under Wine ${wine}: these times say nothing about Windows.`;
  const tested = conditions["suite.tested"] ?? TESTED_HERE;
  return tested === TESTED_HERE ? undefined : `The suite was tested ${tested}.`;
}

/** What has to be known of a run before any of its figures. */
export function cautionsOf(detail: RunDetail): string[] {
  const { run, environment, pruned } = detail;
  const isFromFile = isImportInFull(detail);
  const isDrawn = isSynthetic(environment);
  const cautions = [
    run.superseded &&
      "Superseded: when it arrived, another agent had its job already. It is kept and shown here, and is part of no trend and no comparison of commits.",
    run.quarantined &&
      "Quarantined: whoever uploaded this run does not vouch for it, as for a pull request of a fork. It is never part of the trend.",
    run.work_tree_modified &&
      (isFromFile
        ? "Tracked files differed from the commit when the file was imported: what it tells of may not be exactly that commit."
        : "Tracked files differed from the commit: what was measured is not exactly it."),
    !isFromFile &&
      !isDrawn &&
      run.build !== "release" &&
      `Measured by a ${run.build} build: these figures are not for comparison.`,
    !isFromFile && trialNote(environment),
    !isDrawn && prunedNote(pruned),
  ];
  return cautions.filter((caution) => typeof caution === "string");
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

/** The variants that `roundtrip ab` names. */
const SIDES = ["base", "head"];

/** Whether a run holds the two sides of a comparison, and nothing else. */
export function isOfTwoSides({ results }: Pick<RunDetail, "results">): boolean {
  const variants = distinct(results.map(({ case: kase }) => kase.variant ?? ""));
  return variants.toSorted().join() === SIDES.join();
}

/** The commands that measure the same thing again, in a clone of the project. */
export function reproCommands({ run, results }: RunDetail): string[] {
  const probe = results.find(({ methodology }) => methodology.probe)?.methodology.probe;
  const watched = probe ? ` --probe ${probe}` : "";
  return [`git checkout ${run.commit.sha}`, `roundtrip run --preset ${run.preset}${watched}`];
}

function matches({ transport, case: kase }: RunResult, wanted: string): boolean {
  const text = wanted.trim().toLowerCase();
  const names = [transport.slug, transport.title, benchmarkName(kase) ?? ""];
  return names.some((name) => name.toLowerCase().includes(text));
}

/** Facts about cases, each told once with all its cases: twenty sizes of one missing mechanism are one fact. */
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
