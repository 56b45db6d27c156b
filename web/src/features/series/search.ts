/** What a series' page keeps in the URL: what is drawn, over what, and which point is pinned. */
import { oneOf, type Present, present, type RawSearch, uuid } from "@/lib/search";

/** How far into the tail the chart reaches, or the rate instead of times. */
export const SHOWN = ["p50", "p99", "p999", "throughput"] as const;
export type Shown = (typeof SHOWN)[number];

/** The percentile that is drawn against message size. */
export const PERCENTILES = ["p50", "p99", "p999"] as const;
export type Percentile = (typeof PERCENTILES)[number];

/** What the chart runs over. */
export const AXES = ["commits", "time"] as const;
export type Axis = (typeof AXES)[number];

/** The page's state; what is absent takes its usual value. */
export type SeriesSearch = Present<{
  show: Shown | undefined;
  axis: Axis | undefined;
  sizes: Percentile | undefined;
  /** The run whose point is pinned; the newest when absent. */
  run: string | undefined;
}>;

export function parseSeriesSearch(raw: RawSearch): SeriesSearch {
  return present({
    show: oneOf(raw.show, SHOWN),
    axis: oneOf(raw.axis, AXES),
    sizes: oneOf(raw.sizes, PERCENTILES),
    run: uuid(raw.run),
  });
}
