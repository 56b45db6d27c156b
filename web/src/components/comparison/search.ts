/** What pages with a comparison keep of it in the URL. */
import { flag, oneOf, searchOf, slug, text, whole } from "@/lib/search";
import { KINDS } from "./pairs";

/** A change to that; what is undefined goes. */
export type ComparisonSearchChange = { [Key in keyof ComparisonSearch]: ComparisonSearch[Key] | undefined };

export const parseComparisonSearch = searchOf({
  /** The only machine that is compared. */
  machine: slug,
  verdict: oneOf(KINDS),
  q: text,
  unchanged: flag,
  /** How many rows of that kind are shown, where it is more than of each at first. */
  rows: (value) => rowsOf(whole(value)),
});
export type ComparisonSearch = ReturnType<typeof parseComparisonSearch>;

/** So many rows of a kind are shown at first, and at most, where somebody asks for more. */
const ROWS = 100;
export const ROWS_MAX = 600;

function rowsOf(count: number | undefined): number | undefined {
  return count === undefined || count <= ROWS ? undefined : Math.min(count, ROWS_MAX);
}

/** Whether what did not change is shown: only as long as nobody looks for some of them is it folded. */
export function isUnfolded({ q, verdict, unchanged }: ComparisonSearch): boolean {
  return unchanged === true || verdict === "unchanged" || q !== undefined;
}

/** Which pairs the server is asked for: those that are shown at first, or what is looked for. */
export function pairsAsked(search: ComparisonSearch) {
  const { q, verdict, rows } = search;
  const told = KINDS.filter((kind) => kind !== "unchanged" || isUnfolded(search));
  const kinds = verdict === undefined ? [...told, "not-comparable"] : [verdict];
  return {
    limit: verdict === undefined ? ROWS : (rows ?? ROWS),
    kind: kinds.join(","),
    ...(q === undefined ? {} : { q }),
  };
}
