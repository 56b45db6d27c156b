/** Who may do what stands elsewhere in this place, and why that is not the reader. */
import { Link, useLocation } from "@tanstack/react-router";
import type { SessionInfo } from "@/api/types";
import { type Action, refusal, whoMay } from "@/lib/access";
import { toSignIn } from "@/lib/paths";

type Props = { session: SessionInfo; project: string; action: Action; what: string };

export function NotAllowed({ session, project, action, what }: Props) {
  const { href } = useLocation();
  return (
    <p className="muted">
      {whoMay(action)} alone {what}; {refusal(session, project, action)}.
      {session.account === null && (
        <>
          {" "}
          <Link {...toSignIn(href)}>Sign in to do so</Link>.
        </>
      )}
    </p>
  );
}
