/** The state of the inbox and of a regression in the URL. */
import { LIST } from "@/components/series/search";
import { DIRECTIONS, SHOWN } from "@/lib/regressions";
import { cursor, flag, oneOf, searchOf } from "@/lib/search";

export const parseInboxSearch = searchOf({
  shown: oneOf(SHOWN),
  direction: oneOf(DIRECTIONS),
  quiet: flag,
  after: cursor,
});
export type InboxSearch = ReturnType<typeof parseInboxSearch>;

/** The columns and the order of the affected series. */
export const parseRegressionSearch = searchOf(LIST);
