/** Query parameters of the queue. */
import { STATUSES } from "@/lib/queue";
import { cursor, oneOf, searchOf, slug } from "@/lib/search";

export const parseQueueSearch = searchOf({
  status: oneOf(STATUSES),
  machine: slug,
  after: cursor,
});
