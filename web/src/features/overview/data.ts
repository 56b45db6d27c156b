/** Slices of all results, and the grid of one slice. Pure. */
import type {
  Case,
  ChangePoint,
  LineSeries,
  Point,
  RunDetail,
  RunSummary,
  SeriesFacets,
  SeriesSummary,
} from "@/api/types";
import {
  byParameters,
  type Named,
  type Parameters,
  parametersKey,
  parametersOf,
  USUAL_PARAMETERS,
} from "@/lib/cases";
import { chosen, placementsOf, scenariosOf, valuesOf } from "@/lib/choices";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { type History, historyOf, type Mark, marksOf } from "@/lib/history";
import { isImport } from "@/lib/imports";
import { distinguishing } from "@/lib/methodology";
import type { OverviewSearch } from "./search";

/** One slice of the measurements: everything that is not transport, machine or commit. */
export type Slice = Traffic & { parameters: Parameters };

export type Traffic = { scenario: string; mode: string; placement: string; bytes: number };

export type SliceOptions = { scenarios: string[]; modes: string[]; placements: string[]; sizes: number[] };

/** The default slice, if it has results. */
const USUAL = { scenario: "roundtrip", mode: "2proc", placement: "same-cpu", bytes: 1024 };

/** The requested scenario if it has results, otherwise the default; `undefined` without results. */
export function chosenScenario(all: SeriesFacets, { scenario }: OverviewSearch): string | undefined {
  return chosen(scenariosOf(all.scenario), scenario, USUAL.scenario);
}

/** The options: all scenarios, and the values within the selected scenario. */
export function sliceOptions(all: SeriesFacets, within: SeriesFacets): SliceOptions {
  return {
    scenarios: scenariosOf(all.scenario),
    modes: valuesOf(within.mode),
    placements: placementsOf(within.placement),
    sizes: within.message_bytes.map(({ value }) => value).sort(ascending),
  };
}

/** The requested values if they have results, otherwise the defaults, otherwise the first option. */
export function chosenTraffic(scenario: string, options: SliceOptions, search: OverviewSearch): Traffic {
  return {
    scenario,
    // A scenario without results has no options; the default is then shown as missing.
    mode: chosen(options.modes, search.mode, USUAL.mode) ?? USUAL.mode,
    placement: chosen(options.placements, search.placement, USUAL.placement) ?? USUAL.placement,
    bytes: chosen(options.sizes, search.bytes, USUAL.bytes) ?? USUAL.bytes,
  };
}

export function chosenSlice(series: SeriesSummary[], traffic: Traffic, asked: string | undefined): Slice {
  const all = parameterOptions(series, traffic);
  const parameters = all.find((candidate) => parametersKey(candidate) === (asked ?? ""));
  return { ...traffic, parameters: parameters ?? all[0] ?? USUAL_PARAMETERS };
}

/** The parameters with results in a slice; defaults first. */
export function parameterOptions(series: SeriesSummary[], slice: Traffic): Parameters[] {
  const alike = series.flatMap((entry) => (isAlike(entry.case, slice) ? [parametersOf(entry.case)] : []));
  return [...new Map(alike.map((parameters) => [parametersKey(parameters), parameters])).values()].sort(
    byParameters,
  );
}

export function caseOf({ scenario, bytes, parameters }: Slice): Named {
  return { scenario, message_bytes: bytes, ...parameters };
}

/**
 * The series of a slice. With several methodologies: the newest; in the same run, the smallest window, then lossless
 * before lossy. Probes affect results, so probed series are selected separately.
 */
export function seriesOfSlice(series: SeriesSummary[], slice: Slice, isProbed = false): SeriesSummary[] {
  const newest = new Map<string, SeriesSummary>();
  for (const candidate of series) {
    if (!isOfSlice(candidate.case, slice) || (candidate.methodology.probe != null) !== isProbed) continue;
    const key = `${candidate.machine} ${candidate.transport.slug}`;
    const rival = newest.get(key);
    if (rival === undefined || isPreferred(candidate, rival)) newest.set(key, candidate);
  }
  return [...newest.values()];
}

function isOfSlice(candidate: Case, slice: Slice): boolean {
  const isWith = parametersKey(parametersOf(candidate)) === parametersKey(slice.parameters);
  return isWith && isAlike(candidate, slice);
}

function isAlike(candidate: Case, slice: Traffic): boolean {
  return (
    candidate.scenario === slice.scenario &&
    candidate.mode === slice.mode &&
    candidate.placement === slice.placement &&
    candidate.message_bytes === slice.bytes
  );
}

function isPreferred(candidate: SeriesSummary, rival: SeriesSummary): boolean {
  const newer = ascending(measuredAt(candidate), measuredAt(rival));
  const fewer = ascending(rival.methodology.window, candidate.methodology.window);
  const loses = rival.latest?.lossy === true && candidate.latest?.lossy === false;
  return newer > 0 || (newer === 0 && (fewer > 0 || (fewer === 0 && loses)));
}

function measuredAt(series: SeriesSummary): string {
  return series.latest?.measured_at ?? "";
}

/** A row of the grid: one transport on every machine. */
export type GridRow = ReturnType<typeof transportGrid>[number];

/** A cell of the grid: a measured series, one that only a probe has seen, a reason why there is none, or nothing known. */
export type Cell = GridRow["cells"][number]["cell"];

export type GridInput = {
  slice: Slice;
  /** Slices that differ only in their parameters. */
  series: SeriesSummary[];
  /** All transports of the scenario, with or without results in the slice. */
  transports: string[];
  machines: string[];
  lines: ReadonlyMap<number, LineSeries>;
  changes: ReadonlyMap<number, ChangePoint[]>;
  /** The newest runs of each machine, newest first; they have the reasons for missing transports. */
  runs: Map<string, RunDetail[]>;
};

export function transportGrid(input: GridInput) {
  const { slice, series: all, transports, machines, runs, ...drawn } = input;
  const measured = seriesOfSlice(all, slice);
  const probed = seriesOfSlice(all, slice, true);
  const known = new Map(
    all.map(({ transport: { slug, title, semantics } }) => [slug, `${title}. ${semantics}`]),
  );
  return distinct([...transports, ...known.keys()])
    .sort(ascending)
    .map((slug) => ({
      slug,
      about: known.get(slug),
      cells: machines.map((machine) => {
        const isHere = (entry: SeriesSummary) => entry.transport.slug === slug && entry.machine === machine;
        const ofMachine = runs.get(machine) ?? [];
        const series = measured.find(isHere);
        if (series !== undefined && isMeasured(series)) {
          const rivals = all.filter((entry) => isHere(entry) && isOfSlice(entry.case, slice));
          return { machine, cell: measuredCell(series, rivals, ofMachine, drawn) };
        }
        const reason = unsupportedReason(ofMachine[0], slug, slice);
        return { machine, cell: emptyCell(probed.find(isHere), reason) };
      }),
    }));
}

/** Whether any machine has a result. */
export function hasResult({ cells }: GridRow): boolean {
  return cells.some(({ cell }) => cell.kind === "measured" || cell.kind === "probed");
}

/** The main value of a series: throughput if measured, otherwise the median latency. */
export function headlineValue(point: Point): { kind: "rate" | "latency"; value: number } {
  return point.bytes_per_second == null
    ? { kind: "latency", value: point.latency_ns.p50 }
    : { kind: "rate", value: point.bytes_per_second };
}

/** The shared axis of the lossless cells, and the features that any cell has. */
export function shapeOf(rows: GridRow[]) {
  const cells = rows.flatMap((row) =>
    row.cells.flatMap(({ cell }) => (cell.kind === "measured" ? [cell] : [])),
  );
  const latencies = cells.filter(({ latest }) => !latest.lossy).map(({ latest }) => latest.latency_ns);
  const domain: [number, number] = [
    latencies.reduce((least, { min }) => Math.min(least, min), Number.POSITIVE_INFINITY),
    latencies.reduce((most, { max }) => Math.max(most, max), 1),
  ];
  return {
    domain,
    hasHistory: cells.some(({ values }) => values.length > 1),
    hasRate: cells.some(({ latest }) => latest.bytes_per_second != null),
    hasOversubscribed: cells.some(({ isOversubscribed }) => isOversubscribed),
  };
}

/**
 * The runs with details of these series, such as reasons for unsupported cases: the newest measured run of each machine,
 * or the newest one that its series refer to.
 */
export function detailedRuns(runs: RunSummary[], measured: SeriesSummary[]) {
  return [...groupBy(measured, ({ machine }) => machine).entries()].flatMap(([machine, ofMachine]) => {
    const newest = runs.find((run) => run.machine === machine && !isImport(run))?.run_id;
    const run_id = newest ?? newestPoint(ofMachine)?.latest.run_id;
    return run_id === undefined
      ? []
      : [{ run_id, series_ids: ofMachine.map(({ series_id }) => series_id).sort(ascending) }];
  });
}

export type AskedRun = ReturnType<typeof detailedRuns>[number];

/** The machine with the newest measured run, ignoring imports; `undefined` if there is none. */
export function newestMachine(runs: RunSummary[], series: SeriesSummary[]): string | undefined {
  const run = runs.find((candidate) => !isImport(candidate));
  return run?.machine ?? newestPoint(series)?.machine ?? series[0]?.machine;
}

/** Its newest run, if known; `null` without a measured run. */
export function latestMeasured(
  runs: RunSummary[],
  series: SeriesSummary[],
  details: Map<string, RunDetail[]>,
) {
  const machine = newestMachine(runs, series);
  if (machine === undefined) return null;
  const run = runs.find((candidate) => !isImport(candidate)) ?? details.get(machine)?.[0]?.run;
  return { machine, run: run ?? null };
}

function newestPoint(series: SeriesSummary[]): MeasuredSeries | undefined {
  return series.filter(isMeasured).sort((a, b) => ascending(b.latest.measured_at, a.latest.measured_at))[0];
}

export type MeasuredSeries = SeriesSummary & { latest: Point };
const isMeasured = (series: SeriesSummary): series is MeasuredSeries => series.latest !== null;

/** The results of one machine in a slice that lost messages. */
export function lossyOf(slice: SeriesSummary[], machine: string): MeasuredSeries[] {
  return slice.filter(isMeasured).filter((series) => series.machine === machine && series.latest.lossy);
}

/** If one run measured a case with several methodologies, the cell names the one it shows. */
function measuredCell(
  series: MeasuredSeries,
  rivals: SeriesSummary[],
  runs: RunDetail[],
  { lines, changes }: Pick<GridInput, "lines" | "changes">,
) {
  const { latest, methodology, series_id } = series;
  const line = lines.get(series_id);
  const history = line === undefined ? null : historyOf(line);
  const ofRun = rivals.filter(
    (rival) => rival.latest?.run_id === latest.run_id && rival.methodology.probe == null,
  );
  const run = runs.find((candidate) => candidate.run.run_id === latest.run_id);
  const result = run?.results.find((candidate) => candidate.series_id === series_id);
  return {
    kind: "measured" as const,
    series,
    latest,
    ...drawnOf(latest, history, changes.get(series_id) ?? []),
    isOversubscribed: result?.observed?.oversubscribed ?? false,
    how: distinguishing(
      methodology,
      ofRun.map((rival) => rival.methodology),
    ),
  };
}

function emptyCell(probed: SeriesSummary | undefined, reason: string | null) {
  if (probed?.latest != null) return { kind: "probed" as const, series: probed };
  return reason === null ? { kind: "missing" as const } : { kind: "unsupported" as const, reason };
}

/** The line of a cell. For throughput, it is derived from the median transfer time. */
function drawnOf(latest: Point, history: History | null, changes: ChangePoint[]) {
  const { kind, value } = headlineValue(latest);
  if (history === null || history.values.length === 0) return { values: [value], marks: [] as Mark[] };
  const marks = marksOf(changes, history.ordinals).filter(({ place }) => place !== "before");
  return { values: kind === "rate" ? history.values.map((time) => 1 / time) : history.values, marks };
}

/** Why a run has no result for a transport: the reason for this slice, or the one for all its cases. */
function unsupportedReason(run: RunDetail | undefined, transport: string, slice: Slice): string | null {
  const results = run?.results.filter((result) => result.transport.slug === transport) ?? [];
  const same = results.find((result) => isOfSlice(result.case, slice));
  if (same !== undefined) return same.unsupported ?? null;
  const isNowhere = results.every(({ unsupported }) => unsupported != null);
  return isNowhere ? (results[0]?.unsupported ?? null) : null;
}
