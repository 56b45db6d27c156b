/** What the queue keeps in the URL: which jobs are shown, of which machine, and which page of those that are over. */
import { STATUSES, type Status } from "@/lib/queue";
import { cursor, oneOf, type Present, present, type RawSearch, slug } from "@/lib/search";

export type QueueSearch = Present<{
  status: Status | undefined;
  machine: string | undefined;
  after: string | undefined;
}>;

export function parseQueueSearch(raw: RawSearch): QueueSearch {
  return present({
    status: oneOf(raw.status, STATUSES),
    machine: slug(raw.machine),
    after: cursor(raw.after),
  });
}
