/** What the page keeps in the URL. */
import { type Present, present, type RawSearch, slug } from "@/lib/search";

/** The page's state; what is absent takes its usual value. */
export type SweepSearch = Present<{
  machine: string | undefined;
}>;

export function parseSweepSearch(raw: RawSearch): SweepSearch {
  return present({ machine: slug(raw.machine) });
}
