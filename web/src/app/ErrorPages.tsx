/** Pages for missing addresses and failed loads. */
import { CancelledError, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, useLocation, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { ApiError } from "@/api/errors";
import { sessionQuery } from "@/api/queries";
import { ErrorState, PageSkeleton } from "@/components/ui/states";
import { Quoted } from "@/components/ui/text";
import { toHome, toSignIn } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { upperFirst } from "@/lib/units";

/** For the router: no page matches. */
export function NotFoundPage() {
  return <NotFound detail="Check the address." />;
}

type Props = {
  /** The default is that no page has the address. */
  title?: string;
  detail: string;
  /** Whether the address may be hidden from this account. */
  isSubject?: boolean;
};

function NotFound({ title = "Page not found", detail, isSubject = false }: Props) {
  return (
    <div className="state">
      <h1>{title}</h1>
      <p>
        <Quoted text={sentence(detail)} />
      </p>
      {isSubject && <SignInToSee />}
      <p>
        <Link {...toHome()}>Home</Link>
      </p>
    </div>
  );
}

/** The message of the server as a sentence. */
function sentence(detail: string): string {
  return upperFirst(detail.endsWith(".") ? detail : `${detail}.`);
}

/** Private projects look missing to others: suggests signing in, or asking for access. */
function SignInToSee() {
  const { data: session } = useQuery(sessionQuery);
  const { href } = useLocation();
  if (session === undefined || isSite()) return null;
  if (session.account !== null) {
    return (
      <p className="muted">
        Signed in as {session.account.name}. If the project is private, ask its admin for access.
      </p>
    );
  }
  return (
    <p>
      Private projects require signing in.{" "}
      <Link {...toSignIn(href)} className="button">
        Sign in
      </Link>
    </p>
  );
}

/** For a page whose data could not be loaded, with a retry. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queryClient = useQueryClient();
  // The page waited for a request of a page that was left.
  const isCancelled = error instanceof CancelledError;
  useEffect(() => {
    if (isCancelled) void router.invalidate();
  }, [isCancelled, router]);
  if (isCancelled) return <PageSkeleton />;
  if (error instanceof ApiError && error.status === 404) {
    return <NotFound {...(isSite() && { title: error.title })} detail={error.message} isSubject />;
  }
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
