/** The state of a list of series in the URL. */
import { oneOf, type Present, slug, slugs } from "@/lib/search";

export const TRAITS = [
  "transport",
  "benchmark",
  "pattern",
  "size",
  "mode",
  "placement",
  "parameters",
  "machine",
] as const;
export type Trait = (typeof TRAITS)[number];

/** Readers, to be combined with those of a page. */
export const LIST = {
  /** A column, in ascending order, or with `-desc`. */
  sort: slug,
  /** A trait; `none` if the page groups by default. */
  group: oneOf([...TRAITS, "none"]),
  /** The selected traits; by default those that differ. */
  columns: slugs,
  /** Groups that are open if they are closed by default, or the other way round. */
  toggled: slugs,
};

export type ListSearch = Present<{ [Key in keyof typeof LIST]: ReturnType<(typeof LIST)[Key]> }>;

/** A change of the state; `undefined` removes a value. */
export type ListChange = { [Key in keyof ListSearch]: ListSearch[Key] | undefined };

const DESCENDING = "-desc";

type Order = { key: string; isDescending: boolean };

export function orderOf(sort: string | undefined): Order | null {
  if (sort === undefined) return null;
  const isDescending = sort.endsWith(DESCENDING);
  return { key: isDescending ? sort.slice(0, -DESCENDING.length) : sort, isDescending };
}

/** The order after a click on a column's header: ascending, descending, then the default. */
export function nextSort(order: Order | null, key: string): string | undefined {
  if (order?.key !== key) return key;
  return order.isDescending ? undefined : `${key}${DESCENDING}`;
}
