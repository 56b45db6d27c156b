/** Chart data and texts of Explore. Pure. */
import type { SeriesAsked } from "@/api/queries";
import type { ChangePoint, CommitSummary, LineSeries, SeriesFacets, SeriesSummary } from "@/api/types";
import { type ChartTable, num, tableOf, word } from "@/components/chart/DataTable";
import type { Spark } from "@/components/chart/sparklines";
import type { Trait } from "@/components/series/search";
import { listOf } from "@/components/series/traits";
import { caseName } from "@/lib/cases";
import { ascending, distinct } from "@/lib/collections";
import { drawnPlaces, marksOf } from "@/lib/history";
import type { Figure } from "@/lib/query";
import { environmentsOf, numbersOf, percentileName, supports } from "@/lib/statistics";
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

/** The newest value of a figure; for imports, the stated value; `null` with too few values for the figure. */
export function newestOf({ latest, latest_summary }: SeriesSummary, figure: Figure): number | null {
  if (latest == null) return latest_summary?.center_ns ?? null;
  return supports(latest.count, figure) ? latest.latency_ns[figure] : null;
}

const FACET_TRAITS = [
  ["transport", "transport"],
  ["scenario", "pattern"],
  ["message_bytes", "size"],
  ["mode", "mode"],
  ["placement", "placement"],
  ["machine", "machine"],
] as const;

/** The traits that differ between the series of a search, from its number of series by value. */
export function variedTraits(counts: SeriesFacets, asked: SeriesAsked): Trait[] {
  return FACET_TRAITS.flatMap(([facet, trait]) => {
    const wanted = asked[facet]?.split(",");
    // Imports have no mode and no placement.
    const found = counts[facet].filter(
      ({ value }) => value !== "unknown" && (wanted === undefined || wanted.includes(String(value))),
    );
    return found.length > 1 ? trait : [];
  });
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
  sparks: ReadonlyMap<number, Spark | null>,
  ordinals: readonly number[],
  figure: Figure,
): ChartTable {
  const rows = () =>
    listOf(series, (entry) => entry).entries.map(({ row, texts }) => ({
      ...row,
      parameters: texts.parameters,
      spark: sparks.get(row.series_id) ?? null,
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
    word("Parameters", "parameters", ({ parameters }) => parameters),
    word("Machine", "machine", ({ machine }) => machine),
    word("Figure", "figure", (row) => figureOf(row, figure)),
    word("Changes", "changes", ({ spark }) => spark?.marks.map(({ text }) => text).join("; ") ?? ""),
    ...commits,
  ]);
}
