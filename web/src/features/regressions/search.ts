/** What the inbox keeps in the URL. */
import { DIRECTIONS, type Direction, SHOWN, type Shown } from "@/lib/regressions";
import { cursor, oneOf, type Present, present, type RawSearch } from "@/lib/search";

export type InboxSearch = Present<{
  shown: Shown | undefined;
  direction: Direction | undefined;
  quiet: true | undefined;
  after: string | undefined;
}>;

export function parseInboxSearch(raw: RawSearch): InboxSearch {
  return present({
    shown: oneOf(raw.shown, SHOWN),
    direction: oneOf(raw.direction, DIRECTIONS),
    quiet: raw.quiet === true ? true : undefined,
    after: cursor(raw.after),
  });
}
