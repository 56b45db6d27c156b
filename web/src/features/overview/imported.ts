/** Results from other tools for the overview, grouped by tool and benchmark. Pure. */
import type { SeriesSummary } from "@/api/types";
import { benchmarkName } from "@/lib/cases";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { benchmarkCount, byName, timeName, toolName, valuedKey } from "@/lib/imports";
import { counted } from "@/lib/units";

export type ImportedCell = {
  series: SeriesSummary;
  value_ns: number;
  /** The statistic of a summary without samples; `null`: the median of samples. */
  statistic: string | null;
};

/** The benchmarks of a tool with the same measure and operations per time, on every machine. */
export type ImportedGroup = ReturnType<typeof importedGroups>[number];

export const ROWS_MAX = 10;

export function importedGroups(series: SeriesSummary[], machines: string[]) {
  const groups = groupBy(series, (entry) => `${entry.transport.slug} ${valuedKey(entry.case)}`);
  return [...groups]
    .map(([key, ofGroup]) => {
      const [first] = ofGroup;
      const rows = [...groupBy(ofGroup, (entry) => benchmarkName(entry.case) ?? "")].map(
        ([name, ofBenchmark]) => ({
          name,
          cells: machines.map((machine) => ({ machine, cell: cellOf(ofBenchmark, machine) })),
        }),
      );
      return {
        key,
        tool: first.transport,
        time: timeName(first.case),
        rows: rows.sort((a, b) => byName(a.name, b.name)),
      };
    })
    .sort((a, b) => byName(a.tool.title, b.tool.title) || ascending(a.time ?? "", b.time ?? ""));
}

/** The first rows of each group, and the number of rows left out. */
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

/** With more tools than this, only their number is shown. */
const TOOLS_NAMED_MAX = 2;

/** `12 benchmarks imported from JMH and k6`, or the number of tools if there are many. */
export function importedText(imported: SeriesSummary[]): string {
  const byTool = [...groupBy(imported, ({ transport }) => transport.slug).values()];
  const count = byTool.reduce((sum, ofTool) => sum + benchmarkCount(ofTool), 0);
  const tools = distinct(imported.map(({ transport }) => toolName(transport))).sort(byName);
  const named = tools.length > TOOLS_NAMED_MAX ? counted(tools.length, "tool") : tools.join(" and ");
  return `${counted(count, "benchmark")} imported from ${named}`;
}

/** The newest value: one run may have samples and another only a summary. */
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
  return [{ at: measured_at, cell: { series, value_ns, statistic: methodology.statistic ?? "value" } }];
}
