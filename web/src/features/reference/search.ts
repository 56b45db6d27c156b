/** The page state in the URL. */
import { searchOf, slug, slugs } from "@/lib/search";

/** The page state; missing values use defaults. */
export const parseReferenceSearch = searchOf({
  /** Which of several sets of tables of one publication. */
  set: slug,
  hidden: slugs,
});

/** Which machine answers; without it, the first one. */
export const parseWorkedSearch = searchOf({
  machine: slug,
});
