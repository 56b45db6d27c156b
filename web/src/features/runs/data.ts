/** From a run's answer to the tables that show it. Pure. */
import type { Point, RunDetail, RunResult } from "@/api/types";
import { ascending, groupBy } from "@/lib/collections";
import { formatBytes } from "@/lib/units";
import { modeName, placementName, scenarioName } from "@/lib/vocabulary";

/** A result that has numbers. */
export type MeasuredResult = RunResult & { point: Point };

/** The results of a run by what came of them. */
export type SortedResults = {
  /** By scenario. */
  measured: Map<string, MeasuredResult[]>;
  unsupported: { transport: string; reason: string; cases: string[] }[];
  failures: { transport: string; caseName: string; repetition: number; reason: string }[];
};

/** Sorts a run's results, of the transports whose name contains the wanted text. */
export function sortResults(results: RunResult[], wanted: string): SortedResults {
  const matching = results.filter((result) => matches(result, wanted)).sort(byCase);
  return {
    measured: groupBy(
      matching.flatMap((result) => (result.point == null ? [] : [{ ...result, point: result.point }])),
      (result) => result.case.scenario,
    ),
    unsupported: unsupportedGroups(matching),
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

/** A case without its transport, in words. */
export function caseName({
  scenario,
  message_bytes,
  total_bytes,
  mode,
  placement,
}: RunResult["case"]): string {
  const total = total_bytes == null ? "" : ` (${formatBytes(total_bytes)} in all)`;
  return `${scenarioName(scenario)} ${formatBytes(message_bytes)}${total}, ${modeName(mode)}, ${placementName(placement)}`;
}

/** The axis that the shapes of all results share: from the smallest minimum to the largest maximum. */
export function sharedDomain(results: MeasuredResult[]): [number, number] {
  return [
    results.reduce((least, { point }) => Math.min(least, point.latency_ns.min), Number.POSITIVE_INFINITY),
    results.reduce((most, { point }) => Math.max(most, point.latency_ns.max), 1),
  ];
}

/** The facts of an environment as lines, in the order of their names. */
export function factsOf(facts: Record<string, string>): { name: string; value: string; isAbsent: boolean }[] {
  return Object.entries(facts)
    .sort(([a], [b]) => ascending(a, b))
    .map(([name, value]) => ({ name, value, isAbsent: value.startsWith("not available") }));
}

/** The commands that measure the same thing again, in a clone of the project. */
export function reproCommands({ run }: RunDetail): string[] {
  return [`git checkout ${run.commit.sha}`, `roundtrip run --preset ${run.preset}`];
}

function matches({ transport }: RunResult, wanted: string): boolean {
  const text = wanted.trim().toLowerCase();
  return transport.slug.includes(text) || transport.title.toLowerCase().includes(text);
}

/** One entry for each transport and reason: twenty sizes of one missing mechanism are one fact. */
function unsupportedGroups(results: RunResult[]): SortedResults["unsupported"] {
  const groups = new Map<string, SortedResults["unsupported"][number]>();
  for (const result of results) {
    if (result.unsupported == null) continue;
    const key = `${result.transport.slug} ${result.unsupported}`;
    const group = groups.get(key) ?? {
      transport: result.transport.slug,
      reason: result.unsupported,
      cases: [],
    };
    group.cases.push(caseName(result.case));
    groups.set(key, group);
  }
  return [...groups.values()];
}

function byCase(a: RunResult, b: RunResult): number {
  return (
    ascending(a.case.scenario, b.case.scenario) ||
    ascending(a.transport.slug, b.transport.slug) ||
    ascending(a.case.mode, b.case.mode) ||
    ascending(a.case.placement, b.case.placement) ||
    a.case.message_bytes - b.case.message_bytes
  );
}
