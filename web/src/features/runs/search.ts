/** The state of the run pages in the URL. */
import { LIST } from "@/components/series/search";
import { cursor, searchOf, slug, text } from "@/lib/search";

export const parseRunsSearch = searchOf({
  machine: slug,
  after: cursor,
});
export type RunsSearch = ReturnType<typeof parseRunsSearch>;

export const parseRunSearch = searchOf({
  ...LIST,
  /** The part of the size map. */
  pattern: slug,
  mode: slug,
  placement: slug,
  transport: text,
  benchmark: text,
});
export type RunSearch = ReturnType<typeof parseRunSearch>;
