/** What Explore keeps in the URL: the search as it was typed, the page of the list, and the series that are picked. */
import { cursor, searchOf } from "@/lib/search";

const LENGTH_MAX = 2_000;
const PICKED_MAX = 100;

export const parseExploreSearch = searchOf({
  /** A text of the search grammar, which may be wrong: the page says so. */
  q: queryText,
  /** Where the server's list goes on. */
  after: cursor,
  /** Numbers of series, with commas between. */
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

/** A text of digits, `true` or `null` arrives as something else. */
function queryText(value: unknown): string | undefined {
  if (value === undefined || (typeof value === "object" && value !== null)) return undefined;
  const text = String(value).trim();
  return text === "" || text.length > LENGTH_MAX ? undefined : text;
}
