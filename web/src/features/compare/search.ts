/** What the page keeps in the URL. */
import { type Present, present, type RawSearch, text } from "@/lib/search";

/** The page's state; what is absent takes its usual value. */
export type CompareSearch = Present<{
  base: string | undefined;
  head: string | undefined;
}>;

export function parseCompareSearch(raw: RawSearch): CompareSearch {
  return present({ base: text(raw.base), head: text(raw.head) });
}
