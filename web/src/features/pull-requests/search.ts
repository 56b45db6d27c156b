/** What the pages of pull requests keep in the URL. */
import { type ComparisonSearch, parseComparisonSearch } from "@/components/comparison/search";
import { cursor, type Present, present, type RawSearch } from "@/lib/search";

/** Which part of the list is shown. */
export type PullRequestsSearch = Present<{ after: string | undefined }>;

export function parsePullRequestsSearch(raw: RawSearch): PullRequestsSearch {
  return present({ after: cursor(raw.after) });
}

/** Which rows of the comparison are shown, and which part of the runs. */
export type PullRequestSearch = ComparisonSearch & Present<{ after: string | undefined }>;

export function parsePullRequestSearch(raw: RawSearch): PullRequestSearch {
  return { ...present({ after: cursor(raw.after) }), ...parseComparisonSearch(raw) };
}
