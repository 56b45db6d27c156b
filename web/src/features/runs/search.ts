/** The state of the run pages in the URL. */
import { cursor, searchOf, slug, text } from "@/lib/search";

export const parseRunsSearch = searchOf({
  machine: slug,
  after: cursor,
});
export type RunsSearch = ReturnType<typeof parseRunsSearch>;

export const parseRunSearch = searchOf({
  transport: text,
  benchmark: text,
});
export type RunSearch = ReturnType<typeof parseRunSearch>;
