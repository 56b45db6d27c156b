/** Query parameters of a machine's page. */
import { oneOf, searchOf } from "@/lib/search";

/** The choices; the first is the default. */
export const REACHES = [200, 50, 1000] as const;

export const parseMachineSearch = searchOf({
  last: oneOf(REACHES),
});
