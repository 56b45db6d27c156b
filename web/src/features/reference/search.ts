/** The page state in the URL. */
import { searchOf, slug, slugs } from "@/lib/search";

/** The page state; missing values use defaults. */
export const parseReferenceSearch = searchOf({
  /** The table set of a publication. */
  set: slug,
  hidden: slugs,
});

/** The machine of the answer; the first by default. */
export const parseWorkedSearch = searchOf({
  machine: slug,
});
