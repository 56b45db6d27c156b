/** What a machine's page keeps in the URL: how many runs its canaries reach back. */
import { oneOf, searchOf } from "@/lib/search";

/** The choices; the first is the usual one. */
export const REACHES = [200, 50, 1000] as const;

export const parseMachineSearch = searchOf({
  last: oneOf(REACHES),
});
