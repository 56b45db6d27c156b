/** What the queue keeps in the URL: which jobs are shown, of which machine, and which page of those that are over. */
import { STATUSES } from "@/lib/queue";
import { cursor, oneOf, searchOf, slug } from "@/lib/search";

export const parseQueueSearch = searchOf({
  status: oneOf(STATUSES),
  machine: slug,
  after: cursor,
});
