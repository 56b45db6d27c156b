/** What the page keeps in the URL. */
import { type Present, present, type RawSearch, slug, slugs } from "@/lib/search";

/** The page's state; what is absent takes its usual value. */
export type ReferenceSearch = Present<{
  /** Which of several sets of tables of one publication. */
  set: string | undefined;
  /** Published lines that are not drawn, with dots between. */
  hidden: string | undefined;
}>;

export function parseReferenceSearch(raw: RawSearch): ReferenceSearch {
  return present({ set: slug(raw.set), hidden: slugs(raw.hidden) });
}

/** Which machine answers; without it, the first one. */
export type WorkedSearch = Present<{ machine: string | undefined }>;

export function parseWorkedSearch(raw: RawSearch): WorkedSearch {
  return present({ machine: slug(raw.machine) });
}
