/** Query parameters of the sign-in page. */
import { localPath, oneOf, searchOf } from "@/lib/search";

/** Why signing in with GitHub failed. */
const FAILURES = ["denied", "stale", "github", "no-account"] as const;

export const parseSignInSearch = searchOf({
  /** The page after signing in. */
  to: localPath,
  failed: oneOf(FAILURES),
});
export type SignInSearch = ReturnType<typeof parseSignInSearch>;
