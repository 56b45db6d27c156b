/** The state of a comparison in the URL. */
import { LIST } from "@/components/series/search";
import { oneOf, searchOf, slug, slugs, slugsOf, text, whole } from "@/lib/search";

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
  /** The folded kinds that are shown, separated by dots. */
  open: slugs,
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

/** The kinds that need no action. */
const FOLDED: readonly Kind[] = ["inconclusive", "unchanged"];

/** Whether the cases of a kind are only counted: until the reader asks for them, or searches. */
export function isFolded({ q, verdict, open }: ComparisonSearch, kind: Kind): boolean {
  return FOLDED.includes(kind) && verdict !== kind && q === undefined && !slugsOf(open).includes(kind);
}

/** Whether the reader can fold the cases of a kind. */
export function isFoldable({ q, verdict }: ComparisonSearch, kind: Kind): boolean {
  return FOLDED.includes(kind) && verdict === undefined && q === undefined;
}

/** The query for pairs: the default rows, or search results. Remedies need inconclusive ones, folded or not. */
export function pairsAsked(search: ComparisonSearch) {
  const { q, verdict, rows } = search;
  const visible = KINDS.filter((kind) => kind === "inconclusive" || !isFolded(search, kind));
  const kinds = verdict === undefined ? [...visible, "not-comparable"] : [verdict];
  return {
    limit: verdict === undefined ? ROWS : (rows ?? ROWS),
    kind: kinds.join(","),
    ...(q === undefined ? {} : { q }),
  };
}
