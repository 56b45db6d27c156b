/** What the sign-in page keeps in the URL. */
import { localPath, oneOf, type Present, present, type RawSearch } from "@/lib/search";

/** Why GitHub signed nobody in. */
const FAILURES = ["denied", "stale", "github", "no-account"] as const;

export type SignInSearch = Present<{
  /** Where to go then. */
  to: string | undefined;
  failed: (typeof FAILURES)[number] | undefined;
}>;

export function parseSignInSearch(raw: RawSearch): SignInSearch {
  return present({ to: localPath(raw.to), failed: oneOf(raw.failed, FAILURES) });
}
