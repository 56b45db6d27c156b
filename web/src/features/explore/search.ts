/** The state of Explore in the URL: the search text, the list and the selected series. */
import { LIST } from "@/components/series/search";
import { searchOf } from "@/lib/search";

const LENGTH_MAX = 2_000;
const PICKED_MAX = 100;

export const parseExploreSearch = searchOf({
  ...LIST,
  /** A search text, possibly invalid: the page shows the error. */
  q: queryText,
  /** Ids of the selected series, separated by commas. */
  picked: (value) => textOfPicked(pickedOf(typeof value === "number" ? String(value) : value)),
});
export type ExploreSearch = ReturnType<typeof parseExploreSearch>;

export function pickedOf(value: unknown): number[] {
  if (typeof value !== "string" || !/^\d{1,15}(,\d{1,15})*$/.test(value)) return [];
  return [...new Set(value.split(",").map(Number))].slice(0, PICKED_MAX);
}

export function textOfPicked(ids: readonly number[]): string | undefined {
  return ids.length === 0 ? undefined : ids.join(",");
}

/** The router parses digits, `true` and `null` as other types. */
function queryText(value: unknown): string | undefined {
  if (value === undefined || (typeof value === "object" && value !== null)) return undefined;
  const text = String(value).trim();
  return text === "" || text.length > LENGTH_MAX ? undefined : text;
}
