/** Signing in: with a user's token, or with GitHub where that was set up. */
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { sessionQuery } from "@/api/queries";
import { signIn } from "@/api/writes";
import { useTitle } from "@/lib/hooks";
import { githubHref } from "@/lib/paths";
import { parseSignInSearch, type SignInSearch } from "./search";

const route = getRouteApi("/-/sign-in");

const FAILURES: Record<NonNullable<SignInSearch["failed"]>, string> = {
  denied: "You did not allow it at GitHub.",
  stale: "It took too long, or did not begin in this browser. Try once more.",
  github: "GitHub did not say who you are. Try once more; the server’s log has the cause.",
  "no-account":
    "There is no account here for your login at GitHub. An administrator of this server can make one.",
};

export function SignInPage() {
  // The router lets a value that was left out by the parser through as it stood in the address: parsed where it is used,
  // it leads to no other site.
  const { to = "/", failed } = parseSignInSearch(route.useSearch());
  const { data: session } = useSuspenseQuery(sessionQuery);
  const signing = useMutation({
    mutationFn: signIn,
    onSuccess: () => window.location.assign(to),
  });
  useTitle("Sign in");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get("token");
    signing.mutate(String(token ?? "").trim());
  };
  return (
    <div className="state">
      <h1>Sign in</h1>
      {failed !== undefined && !signing.isPending && <p role="alert">{FAILURES[failed]}</p>}
      {!window.isSecureContext && (
        <p className="warning">
          This page came over plain HTTP from another machine. Browsers do not stay signed in there: use
          HTTPS.
        </p>
      )}
      {session.has_github && (
        <p>
          <a className="button" href={githubHref(to)}>
            Sign in with GitHub
          </a>
        </p>
      )}
      <form className="sign-in" onSubmit={submit}>
        <label className="field">
          Your token
          <input
            name="token"
            type="password"
            required
            autoComplete="current-password"
            placeholder="rtu_…"
            aria-describedby="token-note"
          />
        </label>
        <button type="submit" className="button" disabled={signing.isPending}>
          Sign in
        </button>
      </form>
      {signing.isError && <p role="alert">{signing.error.message}</p>}
      <p className="muted" id="token-note">
        A user’s token begins with <code>rtu_</code>. An administrator makes an account and its first token
        with <code>roundtrip-server account create --name NAME</code>.
      </p>
    </div>
  );
}
