/** What a machine's page keeps in the URL: how many runs its canaries reach back. */
import { type Present, present, type RawSearch } from "@/lib/search";

/** The choices; the first is the usual one. */
export const REACHES = [200, 50, 1000] as const;
type Reach = (typeof REACHES)[number];

export type MachineSearch = Present<{ last: Reach | undefined }>;

export function parseMachineSearch(raw: RawSearch): MachineSearch {
  return present({ last: REACHES.find((reach) => reach === raw.last) });
}
