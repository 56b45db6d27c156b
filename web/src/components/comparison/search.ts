/** What pages with a comparison keep of it in the URL. */
import { oneOf, type Present, present, type RawSearch, slug, text } from "@/lib/search";
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
  /** Of which kind more rows are shown than of the others, and how many: `inconclusive.700`. */
  rows: string | undefined;
}>;

/** A change to that; what is undefined goes. */
export type ComparisonSearchChange = { [Key in keyof ComparisonSearch]: ComparisonSearch[Key] | undefined };

export function parseComparisonSearch(raw: RawSearch): ComparisonSearch {
  return present({
    machine: slug(raw.machine),
    verdict: oneOf(raw.verdict, KINDS),
    q: text(raw.q),
    unchanged: raw.unchanged === true ? true : undefined,
    rows: moreRows(text(raw.rows)) === null ? undefined : text(raw.rows),
  });
}

/** Of which kind so many rows are shown; null where nothing says so. */
export function moreRows(rows: string | undefined): { kind: Kind; count: number } | null {
  const [name, digits = ""] = rows?.split(".") ?? [];
  const kind = oneOf(name, KINDS);
  return kind === undefined || !/^[1-9]\d{0,5}$/.test(digits) ? null : { kind, count: Number(digits) };
}
