/** The state of a series' page in the URL. */
import type { LineAsked } from "@/api/queries";
import { oneOf, searchOf, text, uuid, whole } from "@/lib/search";

/** The highest percentile of the chart, or throughput instead of latency. */
export const SHOWN = ["throughput", "p50", "p99", "p999"] as const;
export type Shown = (typeof SHOWN)[number];

/** The percentile shown by message size. */
export const PERCENTILES = ["p50", "p99", "p999"] as const;
export type Percentile = (typeof PERCENTILES)[number];

export const AXES = ["commits", "time"] as const;
export type Axis = (typeof AXES)[number];

/** The vertical axis: relative is to the median of each line. */
export const SCALES = ["linear", "log", "relative"] as const;
export type TrendScale = (typeof SCALES)[number];

/** Numbers of newest commits to draw; the server returns no more in one response. */
export const LASTS = [100, 1_000, 10_000] as const;

/** The latency range of the heat map. */
export const REACHES = ["usual", "all"] as const;
export type Reach = (typeof REACHES)[number];

/** How the distributions of commits are drawn. */
export const SHAPES = ["heat", "ridges"] as const;
export type Shape = (typeof SHAPES)[number];

/** More than six lines are hard to distinguish. */
const OTHERS_MAX = 5;

export const parseSeriesSearch = searchOf({
  show: oneOf(SHOWN),
  axis: oneOf(AXES),
  scale: oneOf(SCALES),
  sizes: oneOf(PERCENTILES),
  run: uuid,
  /** The ordinal of the pinned commit; the newest if neither this nor `run` is set. */
  at: whole,
  /** Ids of other series in the same chart, separated by commas. */
  with: (value) => othersOf(text(value)).join(",") || undefined,
  last: (value): number | undefined => oneOf(LASTS)(value),
  /** The visible range: commit ordinals, or times in milliseconds. */
  from: whole,
  to: whole,
  /** The latency range of the heat map: without the longest times, or all. */
  reach: oneOf(REACHES),
  shape: oneOf(SHAPES),
});
export type SeriesSearch = ReturnType<typeof parseSeriesSearch>;

function othersOf(ids: string | undefined): number[] {
  const numbers = (ids?.split(",") ?? []).map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
  return [...new Set(numbers)].slice(0, OTHERS_MAX);
}

/** The visible range; `null` for all. */
export function rangeOf(stretch: { from?: number | undefined; to?: number | undefined }) {
  const { from, to } = stretch;
  return from === undefined || to === undefined || from >= to ? null : ([from, to] as const);
}

export const LAST_USUAL = 1_000;

/** The query for the trend. It needs nothing from the series, so both load at the same time; throughput may be absent. */
export function overviewAsked({ show, last }: SeriesSearch): LineAsked {
  const tail = show === "p50" ? [] : show === "p999" ? ["p99", "p999"] : ["p99"];
  return {
    quantiles: ["p25", "p50", "p75", "p90", ...tail].join(","),
    repetitions: false,
    rate: true,
    last: last ?? LAST_USUAL,
  };
}

/** The series of the chart; the page's own series first. */
export function seriesOf(seriesId: number, search: SeriesSearch): number[] {
  return [seriesId, ...othersOf(search.with).filter((id) => id !== seriesId)];
}
