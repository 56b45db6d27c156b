/** What the page keeps in the URL. */
import { parseComparisonSearch } from "@/components/comparison/search";
import { type RawSearch, searchOf, text } from "@/lib/search";

const parseSides = searchOf({ base: text, head: text });

/** Which two sides are compared: commits by their object names or first digits, or runs; and which rows are shown. */
export const parseCompareSearch = (raw: RawSearch) => ({ ...parseSides(raw), ...parseComparisonSearch(raw) });
export type CompareSearch = ReturnType<typeof parseCompareSearch>;
