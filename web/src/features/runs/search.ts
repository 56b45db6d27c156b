/** What the pages of runs keep in the URL. */
import { cursor, type Present, present, type RawSearch, slug, text } from "@/lib/search";

/** Which part of the list is shown. */
export type RunsSearch = Present<{ machine: string | undefined; after: string | undefined }>;

export function parseRunsSearch(raw: RawSearch): RunsSearch {
  return present({ machine: slug(raw.machine), after: cursor(raw.after) });
}

/** Which of a run's results are shown. */
export type RunSearch = Present<{ transport: string | undefined; benchmark: string | undefined }>;

export function parseRunSearch(raw: RawSearch): RunSearch {
  return present({ transport: text(raw.transport), benchmark: text(raw.benchmark) });
}
