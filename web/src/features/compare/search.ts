/** The page state in the URL. */
import { parseComparisonSearch } from "@/components/comparison/search";
import { type RawSearch, searchOf, text } from "@/lib/search";

const parseSides = searchOf({ base: text, head: text });

/** The two sides (commit hashes, abbreviated hashes or run ids), and the visible rows. */
export const parseCompareSearch = (raw: RawSearch) => ({ ...parseSides(raw), ...parseComparisonSearch(raw) });
export type CompareSearch = ReturnType<typeof parseCompareSearch>;
