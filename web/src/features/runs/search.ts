/** What the pages of runs keep in the URL. */
import { cursor, searchOf, slug, text } from "@/lib/search";

/** Which part of the list is shown. */
export const parseRunsSearch = searchOf({
  machine: slug,
  after: cursor,
});
export type RunsSearch = ReturnType<typeof parseRunsSearch>;

/** Which of a run's results are shown. */
export const parseRunSearch = searchOf({
  transport: text,
  benchmark: text,
});
export type RunSearch = ReturnType<typeof parseRunSearch>;
