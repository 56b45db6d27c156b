/** What the page keeps in the URL. */
import { type ComparisonSearch, parseComparisonSearch } from "@/components/comparison/search";
import { type Present, present, type RawSearch, text } from "@/lib/search";

/** Which two sides are compared: commits by their object names or first digits, or runs; and which rows are shown. */
export type CompareSearch = ComparisonSearch &
  Present<{ base: string | undefined; head: string | undefined }>;

export function parseCompareSearch(raw: RawSearch): CompareSearch {
  return { ...present({ base: text(raw.base), head: text(raw.head) }), ...parseComparisonSearch(raw) };
}
