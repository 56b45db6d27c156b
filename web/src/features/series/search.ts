/** What a series' page keeps in the URL: what is drawn, over what, and which point is pinned. */
import type { LineAsked } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { oneOf, searchOf, text, uuid, whole } from "@/lib/search";

/** How far into the tail the chart reaches, or the rate instead of times. */
export const SHOWN = ["throughput", "p50", "p99", "p999"] as const;
export type Shown = (typeof SHOWN)[number];

/** The percentile that is drawn against message size. */
export const PERCENTILES = ["p50", "p99", "p999"] as const;
export type Percentile = (typeof PERCENTILES)[number];

export const AXES = ["commits", "time"] as const;
export type Axis = (typeof AXES)[number];

/** How many of the newest commits can be drawn; the server has no more in one answer. */
export const LASTS = [100, 1_000, 10_000] as const;

/** How far into the longest times the distributions over commits are drawn. */
export const REACHES = ["usual", "all"] as const;
export type Reach = (typeof REACHES)[number];

/** Six lines can be told apart. */
const OTHERS_MAX = 5;

export const parseSeriesSearch = searchOf({
  show: oneOf(SHOWN),
  axis: oneOf(AXES),
  sizes: oneOf(PERCENTILES),
  run: uuid,
  /** The commit whose point is pinned, by its place; the newest when neither is here. */
  at: whole,
  /** Other series in the same chart: their numbers, with commas between. */
  with: (value) => othersOf(text(value)).join(",") || undefined,
  last: (value): number | undefined => oneOf(LASTS)(value),
  /** Where the stretch begins and ends that is looked at: places of commits, or moments in milliseconds. */
  from: whole,
  to: whole,
  /** How much of the distributions is drawn over commits: without the longest times, or all. */
  reach: oneOf(REACHES),
});
export type SeriesSearch = ReturnType<typeof parseSeriesSearch>;

function othersOf(ids: string | undefined): number[] {
  const numbers = (ids?.split(",") ?? []).map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
  return [...new Set(numbers)].slice(0, OTHERS_MAX);
}

/** The stretch that is looked at; `null` for all. */
export function rangeOf(stretch: { from?: number | undefined; to?: number | undefined }) {
  const { from, to } = stretch;
  return from === undefined || to === undefined || from >= to ? null : ([from, to] as const);
}

export const LAST_USUAL = 1_000;

/** The columns of the trend; a rate where the series has one. */
export function overviewAsked({ show, last }: SeriesSearch, { latest }: SeriesSummary): LineAsked {
  const hasRate = latest?.bytes_per_second != null;
  const tail = show === "p50" ? [] : show === "p999" ? ["p99", "p999"] : ["p99"];
  return {
    quantiles: ["p25", "p50", "p75", "p90", ...tail].join(","),
    repetitions: false,
    ...(hasRate ? { rate: true } : {}),
    last: last ?? LAST_USUAL,
  };
}

/** The series of the chart, the one that the page is about first. */
export function seriesOf(seriesId: number, search: SeriesSearch): number[] {
  return [seriesId, ...othersOf(search.with).filter((id) => id !== seriesId)];
}
