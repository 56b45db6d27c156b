/** Results imported from other tools. Pure. */
import type { Case, RunDetail, RunResult, RunSummary, StatedPoint, TransportInfo } from "@/api/types";
import { ascending, distinct } from "./collections";
import { counted, type Valued } from "./units";

/** Shown if the imported file has no value. */
export const NOT_STATED = "not stated";

/** The family of the formats among the transports. */
const FAMILY = "import";
/** The preset and build of an imported run in a list. */
const IMPORT = { preset: "import", build: "unknown" };

/** Whether a series or result was imported. */
export function isImported({ transport }: { transport: Pick<TransportInfo, "family"> }): boolean {
  return transport.family === FAMILY;
}

export function isImport({ preset, build }: Pick<RunSummary, "preset" | "build">): boolean {
  return preset === IMPORT.preset && build === IMPORT.build;
}

/** Whether a run was imported, from its full record. */
export function isImportInFull({ original, results }: Pick<RunDetail, "original" | "results">): boolean {
  return original !== null || (results.length > 0 && results.every(isImported));
}

/** A tool without the format of its file: `Google Benchmark` of `Google Benchmark (JSON)`. */
export function toolName({ title }: Pick<TransportInfo, "title">): string {
  return title.replace(/ \([^()]*\)$/, "");
}

/** What the values are, if not the time of one operation: `time of 1,000 operations`, `allocs/op`. */
export function timeName({ operations, measure }: Valued): string | null {
  if (measure != null) return measure.name;
  return operations == null || operations === 1 ? null : `time of ${counted(operations, "operation")}`;
}

/** Values with the same key have the same quantity and unit, so they can share a table and an axis. */
export function valuedKey({ operations, measure }: Valued): string {
  return [measure?.name, measure?.unit, operations ?? 1].join(" ");
}

/** The time per operation; `null` if times are for one operation, and for other measures. */
export function nsPerOperation(ns: number, { operations, measure }: Valued): number | null {
  return measure != null || operations == null || operations <= 1 ? null : ns / operations;
}

/** A stated quantile by its usual name: `p99.9`. */
export function quantileName(q_ppm: number): string {
  return `p${Number((q_ppm / 10_000).toFixed(4))}`;
}

export function intervalOf({ low_ns, high_ns }: StatedPoint): [number, number] | null {
  return low_ns === null || high_ns === null ? null : [low_ns, high_ns];
}

/** The columns of minimum, quantiles and maximum that any of the points has. */
export function statedTimes(points: StatedPoint[]) {
  const quantiles = distinct(points.flatMap((point) => point.quantiles.map(({ q_ppm }) => q_ppm)));
  const times: { label: string; of: (point: StatedPoint) => number | null }[] = [
    { label: "min", of: ({ min_ns }) => min_ns },
    ...quantiles.sort(ascending).map((wanted) => ({
      label: quantileName(wanted),
      of: (point: StatedPoint) => point.quantiles.find(({ q_ppm }) => q_ppm === wanted)?.ns ?? null,
    })),
    { label: "max", of: ({ max_ns }) => max_ns },
  ];
  return times.filter(({ of }) => points.some((point) => of(point) !== null));
}

/** The number of benchmarks; each measure of one is a result of its own. */
export function benchmarkCount(results: { case: Pick<Case, "benchmark" | "variant"> }[]): number {
  return distinct(results.map(({ case: { benchmark, variant } }) => `${benchmark} ${variant ?? ""}`)).length;
}

/** Natural order: `BM_Pipe/64` before `BM_Pipe/4096`. */
export function byName(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/** The facts in the imported file, each once. */
export function fileFacts(results: Pick<RunResult, "facts">[]): { name: string; value: string }[] {
  const facts = new Map(results.flatMap((result) => Object.entries(result.facts)));
  return [...facts]
    .map(([name, value]) => ({ name: name.replaceAll("_", " "), value }))
    .sort((a, b) => ascending(a.name, b.name));
}
