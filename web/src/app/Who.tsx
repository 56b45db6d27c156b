/** Who is signed in, with the way out; the way in for who is not. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { sessionQuery } from "@/api/queries";
import { signOut } from "@/api/session";
import { SIGN_IN_PATH, toSignIn } from "@/lib/paths";

export function Who() {
  const { data: session } = useQuery(sessionQuery);
  const { pathname, href } = useLocation();
  // Whatever is in memory was for who leaves.
  const leaving = useMutation({ mutationFn: signOut, onSuccess: () => window.location.assign("/") });
  if (session === undefined || (session.account === null && pathname === SIGN_IN_PATH)) return null;
  if (session.account === null) {
    return (
      <Link {...toSignIn(href)} className="who muted">
        Sign in
      </Link>
    );
  }
  return (
    <span className="who">
      <span className="muted">{session.account.name}</span>
      <button
        type="button"
        className="text-button"
        disabled={leaving.isPending}
        onClick={() => leaving.mutate()}
      >
        Sign out
      </button>
    </span>
  );
}
