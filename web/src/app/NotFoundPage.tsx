/** Stands at addresses where nothing is, or nothing that the reader may know of. */
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { sessionQuery } from "@/api/queries";
import { toHome, toSignIn } from "@/lib/paths";
import { upperFirst } from "@/lib/units";

const NO_PAGE = "No page has this address. It may have been mistyped or cut short.";

/** For the router: no page matches. */
export function NotFoundPage() {
  return <NothingHere detail={NO_PAGE} />;
}

type Props = {
  detail: string;
  /** Whether something could be at this address: then it may be hidden from who asks. */
  isSubject?: boolean;
};

/** For a page whose subject does not exist, as far as who asks may know. */
export function NothingHere({ detail, isSubject = false }: Props) {
  return (
    <div className="state">
      <h1>Nothing is here</h1>
      <p>{sentence(detail)}</p>
      {isSubject && <SignInToSee />}
      <p>
        <Link {...toHome()}>Go to the start</Link>
      </p>
    </div>
  );
}

/** The server’s words as a sentence of its own. */
function sentence(detail: string): string {
  return upperFirst(detail.endsWith(".") ? detail : `${detail}.`);
}

/** For who is not signed in: what one must not know of does not exist, so that signing in may show it. */
export function SignInToSee() {
  const { data: session } = useQuery(sessionQuery);
  const { href } = useLocation();
  if (session === undefined) return null;
  if (session.account !== null) {
    return (
      <p className="muted">
        You are signed in as {session.account.name}. What is private is shown to its members: an admin of the
        project can make you one.
      </p>
    );
  }
  return (
    <p>
      What is private is hidden from who is not signed in.{" "}
      <Link {...toSignIn(href)} className="button">
        Sign in to see it
      </Link>
    </p>
  );
}
