/** What other tools have measured, in words: who says it, as what, and of how much. Pure. */
import type { Case, RunDetail, RunResult, RunSummary, StatedPoint, TransportInfo } from "@/api/types";
import { ascending, distinct } from "./collections";
import { counted } from "./units";

/** What stands where a file of another tool says nothing. */
export const NOT_TOLD = "not told";

/** The family of the formats among the transports. */
const FAMILY = "import";
/** How a run says in a list that it was imported. */
const IMPORT = { preset: "import", build: "unknown" };

/** Whether another tool has measured a series, or a result. */
export function isImported({ transport }: { transport: Pick<TransportInfo, "family"> }): boolean {
  return transport.family === FAMILY;
}

export function isImport({ preset, build }: Pick<RunSummary, "preset" | "build">): boolean {
  return preset === IMPORT.preset && build === IMPORT.build;
}

/** Whether a run was imported, from what is known of it in full. */
export function isImportInFull({ original, results }: Pick<RunDetail, "original" | "results">): boolean {
  return original !== null || (results.length > 0 && results.every(isImported));
}

/** A tool without the format of its file: `Google Benchmark` of `Google Benchmark (JSON)`. */
export function toolName({ title }: Pick<TransportInfo, "title">): string {
  return title.replace(/ \([^()]*\)$/, "");
}

/** What times are of, where that is not one operation: `time of 1,000 operations`. */
export function timeName({ operations }: Pick<Case, "operations">): string | null {
  return operations == null || operations === 1 ? null : `time of ${counted(operations, "operation")}`;
}

/** A time of several operations over these; `null` where times are of one. */
export function nsPerOperation(ns: number, { operations }: Pick<Case, "operations">): number | null {
  return operations == null || operations <= 1 ? null : ns / operations;
}

/** A stated quantile by its usual name: `p99.9`. */
export function quantileName(q_ppm: number): string {
  return `p${Number((q_ppm / 10_000).toFixed(4))}`;
}

export function intervalOf({ low_ns, high_ns }: StatedPoint): [number, number] | null {
  return low_ns === null || high_ns === null ? null : [low_ns, high_ns];
}

/** The times that any of some stated figures has besides the figure itself and its interval. */
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

/** Names as people put them in order: `BM_Pipe/64` before `BM_Pipe/4096`. */
export function byName(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/** What the file of another tool says of itself, told once. */
export function fileFacts(results: Pick<RunResult, "facts">[]): { name: string; value: string }[] {
  const facts = new Map(results.flatMap((result) => Object.entries(result.facts)));
  return [...facts]
    .map(([name, value]) => ({ name: name.replaceAll("_", " "), value }))
    .sort((a, b) => ascending(a.name, b.name));
}
