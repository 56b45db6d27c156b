/** What the sign-in page keeps in the URL. */
import { localPath, oneOf, searchOf } from "@/lib/search";

/** Why GitHub signed nobody in. */
const FAILURES = ["denied", "stale", "github", "no-account"] as const;

export const parseSignInSearch = searchOf({
  /** Where to go then. */
  to: localPath,
  failed: oneOf(FAILURES),
});
export type SignInSearch = ReturnType<typeof parseSignInSearch>;
