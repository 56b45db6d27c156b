/** What other tools have measured, for the overview: by tool, benchmark by benchmark. Pure. */
import type { SeriesSummary } from "@/api/types";
import { benchmarkName } from "@/lib/cases";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { byName, timeName, toolName } from "@/lib/imports";
import { counted } from "@/lib/units";

export type ImportedCell = {
  series: SeriesSummary;
  value_ns: number;
  /** What is stated without samples; `null`: the median of samples. */
  statistic: string | null;
};

/** The benchmarks of a tool whose times are of equally many operations, each on every machine. */
export type ImportedGroup = ReturnType<typeof importedGroups>[number];

export const ROWS_MAX = 10;

export function importedGroups(series: SeriesSummary[], machines: string[]) {
  const groups = groupBy(series, (entry) => `${entry.transport.slug} ${entry.case.operations ?? 1}`);
  return [...groups.values()]
    .flatMap((ofGroup) => {
      const [first] = ofGroup;
      if (first === undefined) return [];
      const rows = [...groupBy(ofGroup, (entry) => benchmarkName(entry.case) ?? "")].map(
        ([name, ofBenchmark]) => ({
          name,
          cells: machines.map((machine) => ({ machine, cell: cellOf(ofBenchmark, machine) })),
        }),
      );
      return {
        tool: first.transport,
        time: timeName(first.case),
        rows: rows.sort((a, b) => byName(a.name, b.name)),
      };
    })
    .sort((a, b) => byName(a.tool.title, b.tool.title) || ascending(a.time ?? "", b.time ?? ""));
}

/** The groups with no more rows than are shown at first, and how many are left out. */
export function firstRows(groups: ImportedGroup[]) {
  return {
    groups: groups.map((group) => ({ ...group, rows: group.rows.slice(0, ROWS_MAX) })),
    leftOut: groups.reduce((sum, { rows }) => sum + Math.max(0, rows.length - ROWS_MAX), 0),
  };
}

export function seriesOfGroups(groups: ImportedGroup[]): SeriesSummary[] {
  return groups.flatMap(({ rows }) =>
    rows.flatMap(({ cells }) => cells.flatMap(({ cell }) => (cell === null ? [] : [cell.series]))),
  );
}

/** From this many tools on, how many says more than which. */
const TOOLS_NAMED_MAX = 2;

/** What was imported: `12 benchmarks of JMH and k6`; of many tools, how many. */
export function importedText(imported: SeriesSummary[]): string {
  const { benchmarks, tools } = toolsOf(imported);
  const named = tools.length > TOOLS_NAMED_MAX ? counted(tools.length, "tool") : tools.join(" and ");
  return `${counted(benchmarks, "benchmark")} of ${named}`;
}

export function toolsOf(series: SeriesSummary[]): { benchmarks: number; tools: string[] } {
  const names = series.map((entry) => `${entry.transport.slug} ${benchmarkName(entry.case)}`);
  return {
    benchmarks: distinct(names).length,
    tools: distinct(series.map(({ transport }) => toolName(transport))).sort(byName),
  };
}

/** Of a benchmark that has samples in one run and is only stated in another, the newest. */
function cellOf(ofBenchmark: SeriesSummary[], machine: string): ImportedCell | null {
  const figures = ofBenchmark.filter((entry) => entry.machine === machine).flatMap(figureOf);
  const [newest] = figures.sort((a, b) => ascending(b.at, a.at));
  return newest?.cell ?? null;
}

function figureOf(series: SeriesSummary): { at: string; cell: ImportedCell }[] {
  const { latest, latest_summary, methodology } = series;
  if (latest !== null) {
    return [{ at: latest.measured_at, cell: { series, value_ns: latest.latency_ns.p50, statistic: null } }];
  }
  if (latest_summary === null) return [];
  const { measured_at, center_ns: value_ns } = latest_summary;
  return [{ at: measured_at, cell: { series, value_ns, statistic: methodology.statistic ?? "figure" } }];
}
