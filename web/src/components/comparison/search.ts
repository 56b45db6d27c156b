/** The state of a comparison in the URL. */
import { LIST } from "@/components/series/search";
import { flag, oneOf, searchOf, slug, text, whole } from "@/lib/search";

/** The kinds of compared pairs, the most urgent first. */
export const KINDS = ["slower", "faster", "elsewhere", "inconclusive", "unchanged"] as const;
export type Kind = (typeof KINDS)[number];

/** A change of the state; `undefined` removes a value. */
export type ComparisonSearchChange = { [Key in keyof ComparisonSearch]: ComparisonSearch[Key] | undefined };

export const parseComparisonSearch = searchOf({
  ...LIST,
  /** Compare only this machine. */
  machine: slug,
  verdict: oneOf(KINDS),
  q: text,
  unchanged: flag,
  /** The number of rows of that kind, if more than the default. */
  rows: (value) => rowsOf(whole(value)),
});
export type ComparisonSearch = ReturnType<typeof parseComparisonSearch>;

/** The default and the maximum number of rows of a kind. */
const ROWS = 100;
export const ROWS_MAX = 600;

function rowsOf(count: number | undefined): number | undefined {
  return count === undefined || count <= ROWS ? undefined : Math.min(count, ROWS_MAX);
}

/** Whether unchanged cases are shown: on request, or if they are searched. */
export function isUnfolded({ q, verdict, unchanged }: ComparisonSearch): boolean {
  return unchanged === true || verdict === "unchanged" || q !== undefined;
}

/** The query for pairs: the default rows, or search results. */
export function pairsAsked(search: ComparisonSearch) {
  const { q, verdict, rows } = search;
  const visible = KINDS.filter((kind) => kind !== "unchanged" || isUnfolded(search));
  const kinds = verdict === undefined ? [...visible, "not-comparable"] : [verdict];
  return {
    limit: verdict === undefined ? ROWS : (rows ?? ROWS),
    kind: kinds.join(","),
    ...(q === undefined ? {} : { q }),
  };
}
