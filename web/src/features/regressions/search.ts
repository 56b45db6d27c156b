/** The state of the inbox in the URL. */
import { DIRECTIONS, SHOWN } from "@/lib/regressions";
import { cursor, flag, oneOf, searchOf } from "@/lib/search";

export const parseInboxSearch = searchOf({
  shown: oneOf(SHOWN),
  direction: oneOf(DIRECTIONS),
  quiet: flag,
  after: cursor,
});
export type InboxSearch = ReturnType<typeof parseInboxSearch>;
