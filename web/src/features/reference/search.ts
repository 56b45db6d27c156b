/** What the page keeps in the URL. */
import { searchOf, slug, slugs } from "@/lib/search";

/** The page's state; what is absent takes its usual value. */
export const parseReferenceSearch = searchOf({
  /** Which of several sets of tables of one publication. */
  set: slug,
  hidden: slugs,
});

/** Which machine answers; without it, the first one. */
export const parseWorkedSearch = searchOf({
  machine: slug,
});
