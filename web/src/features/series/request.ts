/** What the page asks for first, so that it can be asked before the page is there. Pure. */
import type { LineAsked } from "@/api/queries";
import type { SeriesSummary } from "@/api/types";
import { othersOf, type SeriesSearch } from "./search";

/** How many commits are drawn unless it is said. */
export const LAST_USUAL = 1_000;

/** The columns of the trend; a rate where the series has one. */
export function overviewAsked(
  { show, last }: SeriesSearch,
  { latest }: Pick<SeriesSummary, "latest">,
): LineAsked {
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
