/** What a series' page keeps in the URL: what is drawn, over what, and which point is pinned. */
import { oneOf, type Present, present, type RawSearch, text, uuid } from "@/lib/search";

/** How far into the tail the chart reaches, or the rate instead of times. */
export const SHOWN = ["p50", "p99", "p999", "throughput"] as const;
export type Shown = (typeof SHOWN)[number];

/** The percentile that is drawn against message size. */
export const PERCENTILES = ["p50", "p99", "p999"] as const;
export type Percentile = (typeof PERCENTILES)[number];

/** What the chart runs over. */
export const AXES = ["commits", "time"] as const;
export type Axis = (typeof AXES)[number];

/** The charts that can be shown as tables. */
export const CHARTS = ["trend", "histogram", "sizes"] as const;
export type ChartName = (typeof CHARTS)[number];

/** The page's state; what is absent takes its usual value. */
export type SeriesSearch = Present<{
  show: Shown | undefined;
  axis: Axis | undefined;
  sizes: Percentile | undefined;
  /** The run whose point is pinned; the newest when absent. */
  run: string | undefined;
  /** Names of the charts shown as tables, with dots between. */
  tables: string | undefined;
}>;

export function parseSeriesSearch(raw: RawSearch): SeriesSearch {
  return present({
    show: oneOf(raw.show, SHOWN),
    axis: oneOf(raw.axis, AXES),
    sizes: oneOf(raw.sizes, PERCENTILES),
    run: uuid(raw.run),
    tables: joined(parseTables(text(raw.tables))),
  });
}

/** The charts that are shown as tables. */
export function parseTables(tables: string | undefined): ChartName[] {
  const names = tables?.split(".") ?? [];
  return CHARTS.filter((chart) => names.includes(chart));
}

/** The state with one chart shown as a table, or as a chart again. */
export function withTable(
  tables: string | undefined,
  chart: ChartName,
  isTable: boolean,
): string | undefined {
  const others = parseTables(tables).filter((name) => name !== chart);
  return joined(isTable ? [...others, chart] : others);
}

function joined(charts: ChartName[]): string | undefined {
  return charts.length === 0 ? undefined : charts.join(".");
}
