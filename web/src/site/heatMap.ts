/** Parts of a heat map: the columns of a range, merged if there are too many. */
import type { HeatMapChart, LineSeries } from "@/api/types";
import { distinct } from "@/lib/collections";
import { countsByBin, numbersOf } from "@/lib/statistics";
import { encoded, placesIn, type Range } from "./columns";
import { chartOf } from "./data";
import { numberIn, unknownSeries } from "./endpoint";

const COLUMNS = 1_000;

/** The heat map of a series, as far as its columns touch the range. `line`: all points of the series. */
export async function heatMap(
  series: number,
  range: Range,
  columns: string | undefined,
  line: Pick<LineSeries, "commit_ordinals">,
): Promise<HeatMapChart> {
  const stored = await chartOf<HeatMapChart>("heatmap", series);
  if (stored === null) throw unknownSeries(series);
  return cutHeatMap(stored, range, numberIn("columns", columns, COLUMNS), numbersOf(line.commit_ordinals));
}

type Column = { from: number; to: number; bins: Map<number, number>; isLossy: boolean };

export function cutHeatMap(
  chart: HeatMapChart,
  { from, to }: Pick<Range, "from" | "to">,
  countMax: number,
  ordinals: readonly number[],
): HeatMapChart {
  const all = columnsOf(chart);
  const within = all.filter((column) => column.to >= from && column.from <= to);
  const isWhole = within.length === all.length;
  const [first, last] = [within[0]?.from ?? 0, within.at(-1)?.to ?? -1];
  const points = placesIn(ordinals, { from: first, to: last, last: Number.POSITIVE_INFINITY });
  return {
    series_id: chart.series_id,
    point_count: isWhole ? chart.point_count : points.length,
    // Where distributions were deleted is not stored.
    missing_count: isWhole ? chart.missing_count : 0,
    commit_count: isWhole ? chart.commit_count : distinct(points.map((place) => ordinals[place])).length,
    steps_per_doubling: chart.steps_per_doubling,
    columns: written(merged(within, countMax)),
  };
}

function columnsOf({ columns }: HeatMapChart): Column[] {
  const [from, to] = [numbersOf(columns.from_ordinals), numbersOf(columns.to_ordinals)];
  const lossy = new Set(columns.lossy);
  return numbersOf(columns.first_bins).map((first, index) => ({
    from: from[index] ?? 0,
    to: to[index] ?? 0,
    bins: countsByBin(first, columns.counts[index] ?? []),
    isLossy: lossy.has(index),
  }));
}

/** At most `countMax` columns: neighbours share one, about the same number in each. */
function merged(columns: readonly Column[], countMax: number): Column[] {
  const count = Math.min(columns.length, countMax);
  const all: Column[] = [];
  for (const [place, column] of columns.entries()) {
    const last = all.at(-1);
    if (last === undefined || Math.floor((place * count) / columns.length) === all.length) {
      all.push({ ...column, bins: new Map(column.bins) });
      continue;
    }
    last.to = column.to;
    last.isLossy ||= column.isLossy;
    for (const [bin, more] of column.bins) last.bins.set(bin, (last.bins.get(bin) ?? 0) + more);
  }
  return all;
}

function written(columns: readonly Column[]): HeatMapChart["columns"] {
  return {
    from_ordinals: encoded(columns.map(({ from }) => from)),
    to_ordinals: encoded(columns.map(({ to }) => to)),
    first_bins: encoded(columns.map(({ bins }) => (bins.size === 0 ? 0 : Math.min(...bins.keys())))),
    counts: columns.map(({ bins }) => countsOf(bins)),
    lossy: columns.flatMap(({ isLossy }, index) => (isLossy ? [index] : [])),
  };
}

function countsOf(bins: ReadonlyMap<number, number>): number[] {
  const counts: number[] = [];
  let next: number | null = null;
  for (const [bin, count] of [...bins].sort(([a], [b]) => a - b)) {
    if (next !== null && bin > next) counts.push(next - bin);
    counts.push(count);
    next = bin + 1;
  }
  return counts;
}
