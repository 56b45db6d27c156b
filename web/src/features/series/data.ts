/** Converts API responses to the data of the series page. Pure. */
import type {
  Case,
  CommitSummary,
  Methodology,
  Point,
  PointDetail,
  RunDetail,
  RunResult,
  SeriesSummary,
  StatedPoint,
} from "@/api/types";
import type { SweepLine } from "@/components/chart/SweepChart";
import {
  benchmarkName,
  endName,
  endsOf,
  messagesPerOperation,
  parameterNames,
  parametersKey,
  parametersOf,
  sendersOf,
  sizeName,
} from "@/lib/cases";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { isImported, NOT_STATED, nsPerOperation, toolName } from "@/lib/imports";
import { agreement } from "@/lib/methodology";
import { dividedBy, nsPerMessage } from "@/lib/points";
import { supportedPercentiles, supports } from "@/lib/statistics";
import {
  counted,
  formatBytesExactly,
  formatCount,
  formatDividedNs,
  formatNs,
  formatRate,
  formatValue,
  unbroken,
  upperFirst,
} from "@/lib/units";
import { modeName, onFullName, placementName, receiveName, storageName, wakeName } from "@/lib/vocabulary";
import { type Axis, SHOWN, type Shown } from "./search";
import type { StopLine } from "./stops";

/** A point of a line, measured or stated. */
export type Placed = Point | StatedPoint;

/** A point with its commit, and the number of runs of that commit in this series. */
export type SeriesPoint<P extends Placed = Point> = { point: P; commit: CommitSummary | null; runs: number };

/** Every point with its commit, in the order of the response: by commit, then by time. */
export function seriesPoints<P extends Placed>(points: P[], commits: CommitSummary[]): SeriesPoint<P>[] {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const runs = groupBy(points, ({ commit_sha }) => commit_sha);
  return points.map((point) => ({
    point,
    commit: bySha.get(point.commit_sha) ?? null,
    runs: runs.get(point.commit_sha)?.length ?? 1,
  }));
}

/**
 * The points of the line. Over commits, one per commit: its newest run with an unmodified work tree, otherwise its
 * newest run. Over time, every run.
 */
export function drawnPoints<P extends Placed>(points: SeriesPoint<P>[], axis: Axis): SeriesPoint<P>[] {
  if (axis === "time") return points.toSorted((a, b) => ascending(a.point.measured_at, b.point.measured_at));
  const byCommit = groupBy(points, ({ point }) => point.commit_sha);
  return [...byCommit.values()]
    .flatMap((ofCommit) => {
      const newest = ofCommit.toSorted((a, b) => ascending(b.point.measured_at, a.point.measured_at));
      return newest.find(({ point }) => !point.work_tree_modified) ?? newest[0] ?? [];
    })
    .sort((a, b) => a.point.commit_ordinal - b.point.commit_ordinal);
}

/** The requested point, even if the line uses another run of its commit; otherwise the newest. */
export function pinnedPoint<P extends Placed>(
  points: SeriesPoint<P>[],
  drawn: SeriesPoint<P>[],
  runId: string | undefined,
): SeriesPoint<P> | null {
  return points.find(({ point }) => point.run_id === runId) ?? drawn.at(-1) ?? null;
}

/** A point's headline: throughput if it has one, otherwise percentiles; a loss comes first. */
export function pointHeadline(point: Point, kase: Case): string {
  const { p50, p99 } = point.latency_ns;
  const each = nsPerMessage(point, kase);
  const hasP99 = supports(point.count, "p99");
  const divided =
    each === null
      ? operationText(p50, kase)
      : ` (${unbroken(`${formatDividedNs(each)} ${dividedBy(point)}`)})`;
  return [
    ...(point.lossy ? ["lossy"] : []),
    ...(point.bytes_per_second == null
      ? [`p50 ${formatValue(p50, kase)}${divided}`, ...(hasP99 ? [`p99 ${formatValue(p99, kase)}`] : [])]
      : [formatRate(point.bytes_per_second), ...(hasP99 ? [`p99 ${formatNs(p99)} per transfer`] : [])]),
  ].join(", ");
}

/** The percentiles that a trend can show, and its lines, given the number of samples per point. */
export function shownTrend(count: number, wanted: Shown) {
  const enough: string[] = supportedPercentiles(count).map(({ key }) => key);
  const choices = SHOWN.filter((choice) => enough.includes(choice));
  const shown = wanted === "throughput" || enough.includes(wanted) ? wanted : (choices.at(-1) ?? "p50");
  const lines = trendLines(shown).filter(({ key }) => key === "rate" || enough.includes(key));
  return { choices, shown, lines };
}

/** A stated value's headline: `median 7.45 ms (7.45 µs per operation)`. */
export function statedHeadline({ center_ns }: StatedPoint, statistic: string, kase: Case): string {
  return `${statistic} ${formatValue(center_ns, kase)}${operationText(center_ns, kase)}`;
}

function operationText(ns: number, kase: Case): string {
  const each = nsPerOperation(ns, kase);
  return each === null ? "" : ` (${unbroken(`${formatDividedNs(each)} per operation`)})`;
}

export function positionOf(point: Placed, axis: Axis): number {
  return axis === "time" ? Date.parse(point.measured_at) : point.commit_ordinal;
}

/** The lines of a trend: more lines for higher percentiles. */
export function trendLines(shown: Shown): StopLine[] {
  const p50 = { stroke: "var(--data-1)", ink: "var(--data-1-ink)", dash: "", width: 2 };
  const p99 = { ...p50, stroke: "var(--data-3)", ink: "var(--data-3-ink)", width: 1.5 };
  if (shown === "throughput") return [{ ...p50, key: "rate", label: "rate" }];
  const lines = [
    { ...p50, key: "p50", label: "p50" },
    { ...p50, key: "p90", label: "p90", dash: "3 3", width: 1.25 },
    { ...p99, key: "p99", label: "p99" },
    { ...p99, key: "p999", label: "p99.9", dash: "1.5 3" },
  ];
  return lines.slice(0, { p50: 2, p99: 3, p999: 4 }[shown]);
}

export function importLede({ transport, case: kase }: SeriesSummary): string {
  return `${transport.semantics}${timesText(kase)}`;
}

export function statedLede({ transport, case: kase }: SeriesSummary, statistic: string): string {
  return `${upperFirst(statistic)} stated by ${toolName(transport)}, without samples. Two values are never compared, but changes of the history are found.${timesText(kase)}`;
}

function timesText(kase: Case): string {
  return kase.operations == null || kase.measure != null
    ? ""
    : ` Each time covers ${counted(kase.operations, "operation")}.`;
}

export function statedLines(statistic: string): StopLine[] {
  return trendLines("p50")
    .slice(0, 1)
    .map((line) => ({ ...line, key: "center", label: statistic }));
}

/**
 * Lines by message size for the transports of a run, with the other parameters of a series. The series' own transport is
 * first. Lossy and lossless results are never mixed: those unlike the pinned point are left out.
 */
export function sweepOf(run: RunDetail, series: SeriesSummary, shown: Shown, isLossy: boolean) {
  const alike = likeTransfers(
    run.results.filter((result) => !isImported(result) && isAlike(result, series)),
    series.case,
  );
  const current = series.transport.slug;
  const ofLoss = groupBy(alike, ({ point }) => point?.lossy);
  const [kept, leftOut] = [ofLoss.get(isLossy) ?? [], ofLoss.get(!isLossy) ?? []];
  const lines = [...groupBy(kept, ({ transport }) => transport.slug).entries()]
    .sort(([a], [b]) => Number(b === current) - Number(a === current) || ascending(a, b))
    .map(([slug, results]) => ({
      key: slug,
      label: slug,
      family: results[0].transport.family,
      current: slug === current,
      points: closest(results, series)
        .flatMap(({ point, case: { message_bytes } }) => {
          const value =
            point === null
              ? null
              : shown === "throughput"
                ? point.bytes_per_second
                : percentileOf(point, shown);
          return value == null ? [] : [{ message_bytes, value }];
        })
        .sort((a, b) => a.message_bytes - b.message_bytes),
    }))
    .filter(({ points }) => points.length > 0);
  const placeOf = (result: RunResult) => `${result.transport.slug} ${result.case.message_bytes}`;
  const places = new Set(kept.map(placeOf));
  const missing = leftOut.filter((result) => !places.has(placeOf(result)));
  return { lines, leftOut: distinct(missing.map(({ transport }) => transport.slug)).sort() };
}

function percentileOf({ count, latency_ns }: Point, key: Exclude<Shown, "throughput">): number | null {
  return supports(count, key) ? latency_ns[key] : null;
}

export function sizesOf(lines: SweepLine[]): number[] {
  return distinct(lines.flatMap(({ points }) => points.map(({ message_bytes }) => message_bytes))).sort(
    ascending,
  );
}

/** The result whose methodology is closest to that of a series, among results of one size. */
function closest(results: RunResult[], { methodology }: SeriesSummary): RunResult[] {
  const ofSizes = groupBy(results, ({ case: kase }) => kase.message_bytes).values();
  const likeness = (result: RunResult) => agreement(result.methodology, methodology);
  return [...ofSizes].flatMap((ofSize) => ofSize.sort((a, b) => likeness(b) - likeness(a)).slice(0, 1));
}

/** Whether a result differs from a series only in transport, message size and transfer. */
function isAlike({ case: kase, methodology }: RunResult, series: SeriesSummary): boolean {
  const others = (entry: Case) => parametersKey({ ...parametersOf(entry), total_bytes: null });
  return (
    kase.scenario === series.case.scenario &&
    kase.mode === series.case.mode &&
    kase.placement === series.case.placement &&
    others(kase) === others(series.case) &&
    methodology.window === series.methodology.window &&
    (methodology.probe ?? null) === (series.methodology.probe ?? null)
  );
}

/**
 * The results with the same transfer as a case: either the same bytes or the same number of messages, whichever matches
 * more results.
 */
function likeTransfers(results: RunResult[], kase: Case): RunResult[] {
  const alike = (of: (kase: Case) => unknown) => results.filter((result) => of(result.case) === of(kase));
  const sameBytes = alike(({ total_bytes }) => total_bytes ?? null);
  const sameCount = alike(messagesPerOperation);
  return sameCount.length > sameBytes.length ? sameCount : sameBytes;
}

/** The observed CPUs of senders and receivers, and their migrations, over all repetitions. */
export function placementSeen(detail: PointDetail, kase: Case): string {
  if (detail.pruned.upload_at !== null) return "deleted";
  const senders = sendersOf(kase);
  const cpusOf = (first: number, end?: number) =>
    distinct(
      detail.repetitions.flatMap(({ ends }) => ends.slice(first, end).flatMap(({ cpus_seen }) => cpus_seen)),
    ).sort(ascending);
  const [sending, receiving] = [cpusOf(0, senders), cpusOf(senders)];
  if (sending.length + receiving.length === 0) return "unknown on this system";
  const known = detail.repetitions.flatMap(({ ends }) => ends.flatMap(({ migrations }) => migrations ?? []));
  const total = known.reduce((sum, count) => sum + count, 0);
  const moves = known.length === 0 ? "migrations unknown" : counted(total, "migration");
  return endsOf(kase) === 2
    ? `CPU ${listOf(sending)} and ${listOf(receiving)}, ${moves}`
    : `from ${cpuText(sending)} to ${cpuText(receiving)}; ${moves}`;
}

/** The case and methodology, line by line. */
export function methodologyFacts(kase: Case, method: Methodology, point: Point | null) {
  return [
    { name: "Placement", value: `${modeName(kase.mode, endsOf(kase))}, ${placementName(kase.placement)}` },
    { name: "Message", value: [sizeName(kase), ...parameterNames(kase)].join(", ") },
    method.probe != null && { name: "Probe", value: method.probe },
    { name: "Send", value: programsOr(method.send) },
    { name: "Receive", value: programsOr(receiveName(method.receive)) },
    { name: "When full", value: onFullName(method.on_full) },
    method.wake != null && { name: "Wake-ups", value: wakeName(method.wake) },
    { name: "Window", value: formatCount(method.window) },
    { name: "Batch size", value: formatCount(method.batch) },
    { name: "Warm-up", value: counted(method.warmup, "operation") },
    method.parts != null && {
      name: "Parts",
      value: `${formatCount(method.parts)}, alternating with the other side`,
    },
    method.discarded_repetitions != null && {
      name: "Discarded",
      value: `first ${method.discarded_repetitions === 1 ? "repetition" : counted(method.discarded_repetitions, "repetition")}`,
    },
    point !== null && { name: "Recorded", value: operationsText(point) },
    { name: "Payload", value: method.payload },
    { name: "Memory", value: programsOr(storageName(method.storage)) },
    { name: "Clock", value: programsOr(method.clock) },
    { name: "Protocol version", value: String(method.protocol_version) },
  ].filter((fact) => fact !== false);
}

export function importFacts({ transport, case: kase, methodology }: SeriesSummary, samples: Point | null) {
  const { statistic } = methodology;
  return [
    { name: "Benchmark", value: benchmarkName(kase) ?? NOT_STATED },
    { name: statistic == null ? "Measured by" : "Stated by", value: toolName(transport) },
    { name: "Operations per time", value: formatCount(kase.operations ?? 1) },
    statistic != null && { name: "Statistic", value: `${statistic}, without samples` },
    samples !== null && { name: "Recorded", value: samplesText(samples) },
    { name: "Placement, delivery", value: NOT_STATED },
    { name: "Clock, warm-up", value: NOT_STATED },
    { name: "Parser version", value: String(methodology.protocol_version) },
  ].filter((fact) => fact !== false);
}

/** `5 samples in 5 repetitions`. */
function samplesText({ count, repetition_count }: Point): string {
  return `${counted(count, "sample")} in ${counted(repetition_count, "repetition")}`;
}

/** External programs define this themselves. */
function programsOr(value: string): string {
  return value === "own" ? "set by the program" : value;
}

function operationsText({ count, repetition_count }: Point): string {
  const each = count / Math.max(1, repetition_count);
  return Number.isInteger(each)
    ? `${counted(each, "operation")} × ${counted(repetition_count, "repetition")}`
    : `${counted(count, "operation")} in ${counted(repetition_count, "repetition")}`;
}

/** With more CPUs than this, only their number is shown. */
const CPUS_NAMED_MAX = 4;

function listOf(cpus: number[]): string {
  if (cpus.length === 0) return "?";
  return cpus.length > CPUS_NAMED_MAX ? `${cpus.length} different` : cpus.join(", ");
}

function cpuText(cpus: number[]): string {
  return cpus.length > CPUS_NAMED_MAX ? `${cpus.length} different CPUs` : `CPU ${listOf(cpus)}`;
}

/** How often an event happened at one end, or why that is unknown. */
export type ProbeReading = { end: string; event: string; count: number | null; reason: string };

/** Sums the readings of each end: system calls first, then counters, each the most frequent first. */
export function probeReadings({ repetitions }: PointDetail, senders: number): ProbeReading[] {
  const readings = new Map<string, ProbeReading & { place: number; rank: number }>();
  const add = (
    { place, end }: { place: number; end: string },
    rank: number,
    event: string,
    count: number | null,
    reason = "",
  ) => {
    const key = `${place} ${rank} ${event}`;
    const known = readings.get(key);
    if (known === undefined) readings.set(key, { place, rank, end, event, count, reason });
    else if (known.count !== null) known.count += count ?? 0;
  };
  for (const { ends } of repetitions) {
    for (const [place, observed] of ends.entries()) {
      const end = { place, end: endName(place, ends.length, senders) };
      for (const { name, bytes, count } of observed.system_calls ?? []) {
        add(end, 0, bytes == null ? name : `${name} of ${formatBytesExactly(bytes)}`, count);
      }
      for (const [name, count] of Object.entries(observed.counters ?? {})) add(end, 1, words(name), count);
      for (const [name, reason] of Object.entries(observed.unavailable ?? {}))
        add(end, 2, words(name), null, reason);
    }
  }
  return [...readings.values()]
    .sort(
      (a, b) =>
        a.place - b.place ||
        a.rank - b.rank ||
        (b.count ?? 0) - (a.count ?? 0) ||
        ascending(a.event, b.event),
    )
    .map(({ place: _place, rank: _rank, ...reading }) => reading);
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}
