/** Chart data and texts of Explore. Pure. */
import type { ChangePoint, CommitSummary, LineSeries, SeriesSummary } from "@/api/types";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import type { Spark } from "@/components/chart/sparklines";
import { caseName, caseParts } from "@/lib/cases";
import { ascending, distinct, groupBy } from "@/lib/collections";
import { drawnPlaces, marksOf } from "@/lib/history";
import { distinguishing } from "@/lib/methodology";
import type { Figure } from "@/lib/query";
import { environmentsOf, numbersOf, percentileName } from "@/lib/statistics";
import { counted, formatValue, type Valued } from "@/lib/units";

export const COMMITS_MAX = 60;
/** The figures with change-point detection. */
export const SEARCHED_FIGURES: readonly Figure[] = ["p50", "p99"];

/** The newest commits with a point on any line, ascending. */
export function ordinalsOf(lines: readonly LineSeries[]): number[] {
  return distinct(lines.flatMap((line) => numbersOf(line.commit_ordinals)))
    .sort(ascending)
    .slice(-COMMITS_MAX);
}

/** A line over these commits; `null` without its figure. */
export function sparkOf(
  line: LineSeries | undefined,
  changes: readonly ChangePoint[],
  ordinals: readonly number[],
  figure: Figure,
  commits: readonly CommitSummary[] = [],
): Spark | null {
  const column = line?.stated?.center ?? line?.latency_ns?.[figure];
  if (line === undefined || column == null) return null;
  const values = numbersOf(column);
  const environments = environmentsOf(line.environments, values.length);
  const places = new Map(drawnPlaces(line).map(({ ordinal, place }) => [ordinal, place]));
  const indices = ordinals.map((ordinal) => places.get(ordinal));
  let environment: number | undefined;
  const breaks = indices.flatMap((index, place) => {
    if (index === undefined) return [];
    const isOther = environment !== undefined && environments[index] !== environment;
    environment = environments[index];
    return isOther ? place : [];
  });
  return {
    values: indices.map((index) => (index === undefined ? null : (values[index] ?? null))),
    breaks,
    // For a figure without change-point detection, those of p50 and p99.
    marks: marksOf(
      changes,
      ordinals,
      SEARCHED_FIGURES.includes(figure) ? [figure] : SEARCHED_FIGURES,
      commits,
    ).filter(({ place }) => place !== "before"),
  };
}

/** A line in words: its range and its change points. */
export function sparkText(spark: Spark, name: string, valued: Valued): string {
  const values = spark.values.filter((value) => value !== null);
  if (values.length === 0) return `${name}: not measured`;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const range = `${name} at ${counted(values.length, "commit")}, ${formatValue(low, valued)} to ${formatValue(high, valued)}`;
  return [range, ...spark.marks.map(({ text }) => text)].join("; ");
}

/** The name of a series' figure; for imports, the stated statistic. */
export function figureOf({ latest_summary, methodology }: SeriesSummary, figure: Figure): string {
  return latest_summary === null ? percentileName(figure) : `stated ${methodology.statistic ?? "figure"}`;
}

/** The name of a row, without parts that all rows share. */
export type RowName = { transport: string; kase: string; how: string[] };

/** The names of rows, and their common parts. */
export function namesOf(series: readonly SeriesSummary[]): { names: RowName[]; common: string[] } {
  const parts = series.map((entry) => caseParts(entry.case));
  // Scenario and size stay in every row.
  const common = distinct(parts.flatMap((ofRow) => ofRow.slice(1))).filter((part) =>
    parts.every((ofRow) => ofRow.slice(1).includes(part)),
  );
  const alike = groupBy(series, keyOf);
  const names = series.map((entry, index) => ({
    transport: entry.transport.slug,
    kase: (parts[index] ?? []).filter((part, place) => place === 0 || !common.includes(part)).join(", "),
    how: distinguishing(
      entry.methodology,
      (alike.get(keyOf(entry)) ?? []).map(({ methodology }) => methodology),
    ),
  }));
  return { names, common: series.length > 1 ? common : [] };
}

function keyOf({ machine, transport, case: kase }: SeriesSummary): string {
  return `${machine} ${transport.slug} ${caseName(kase)}`;
}

export function headlineOf(found: number, all: number, transports: number, machines: number): string {
  if (all === 0) return "No results yet";
  if (found === all) {
    return `${counted(all, "series", "series")}: ${counted(transports, "transport")} on ${counted(machines, "machine")}`;
  }
  return found === 0
    ? "No matching series"
    : `${counted(found, "of", "of")} ${counted(all, "series", "series")} match${found === 1 ? "es" : ""}`;
}

export function gridTable(
  project: string,
  series: readonly SeriesSummary[],
  names: readonly RowName[],
  sparks: ReadonlyMap<number, Spark | null>,
  ordinals: readonly number[],
  figure: Figure,
): ChartTable {
  const rows = () =>
    series.map((entry, index) => ({
      ...entry,
      name: names[index],
      spark: sparks.get(entry.series_id) ?? null,
    }));
  const commits = ordinals
    .map((ordinal, place) =>
      num(
        `#${ordinal}`,
        `latency_ns_at_${ordinal}`,
        ({ spark }: ReturnType<typeof rows>[number]) => spark?.values[place] ?? null,
        (value, row) => formatValue(value, row.case),
      ),
    )
    .toReversed();
  return tableOf(`${project}-explore-${figure}`, rows, [
    num("Series", "series_id", ({ series_id }) => series_id),
    word("Transport", "transport", ({ transport }) => transport.slug),
    word("Case", "case", (row) => caseName(row.case)),
    word("Methodology", "methodology", ({ name }) => name?.how.join(", ") ?? ""),
    word("Machine", "machine", ({ machine }) => machine),
    word("Figure", "figure", (row) => figureOf(row, figure)),
    word("Changes", "changes", ({ spark }) => spark?.marks.map(({ text }) => text).join("; ") ?? ""),
    ...commits,
  ]);
}
