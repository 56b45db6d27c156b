/** What pages with a comparison keep of it in the URL. */
import { oneOf, type Present, present, type RawSearch, slug, text, whole } from "@/lib/search";
import { KINDS, type Kind } from "./pairs";

/** Which rows are asked for, and shown. */
export type ComparisonSearch = Present<{
  /** The only machine that is compared. */
  machine: string | undefined;
  /** What is said of the shown rows. */
  verdict: Kind | undefined;
  /** Words that their names have. */
  q: string | undefined;
  /** Whether cases that did not change are shown. */
  unchanged: true | undefined;
  /** How many rows of that kind are shown, where it is more than of each at first. */
  rows: number | undefined;
}>;

/** A change to that; what is undefined goes. */
export type ComparisonSearchChange = { [Key in keyof ComparisonSearch]: ComparisonSearch[Key] | undefined };

export function parseComparisonSearch(raw: RawSearch): ComparisonSearch {
  return present({
    machine: slug(raw.machine),
    verdict: oneOf(raw.verdict, KINDS),
    q: text(raw.q),
    unchanged: raw.unchanged === true ? true : undefined,
    rows: rowsOf(whole(raw.rows)),
  });
}

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
export function pairsAsked(search: ComparisonSearch): PairsAsked {
  const { q, verdict, rows } = search;
  const told = KINDS.filter((kind) => kind !== "unchanged" || isUnfolded(search));
  const kinds = verdict === undefined ? [...told, "not-comparable"] : [verdict];
  return {
    limit: verdict === undefined ? ROWS : (rows ?? ROWS),
    kind: kinds.join(","),
    ...(q === undefined ? {} : { q }),
  };
}

/** As a query of the server has it. */
export type PairsAsked = { limit: number; kind: string; q?: string };
