/** Stands at addresses where nothing is, or nothing that the reader may know of. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, useLocation, useRouter } from "@tanstack/react-router";
import { ApiError } from "@/api/errors";
import { sessionQuery } from "@/api/queries";
import { ErrorState } from "@/components/ui/states";
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

function NothingHere({ detail, isSubject = false }: Props) {
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
function SignInToSee() {
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

/** Stands where a page's data could not be had: not there, not allowed, or not answered. Asks for it again on request. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queryClient = useQueryClient();
  if (error instanceof ApiError && error.status === 404)
    return <NothingHere detail={error.message} isSubject />;
  const retry = async () => {
    await queryClient.resetQueries({ predicate: ({ state }) => state.status === "error" });
    reset();
    await router.invalidate();
  };
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  return (
    <>
      <ErrorState error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />
      {isRefused && <SignInToSee />}
    </>
  );
}
