/** Signing in with a user token or, if configured, with GitHub. */
import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { sessionQuery } from "@/api/queries";
import { signIn } from "@/api/writes";
import { Form } from "@/components/form";
import { useTitle } from "@/lib/hooks";
import { githubHref } from "@/lib/paths";
import { parseSignInSearch, type SignInSearch } from "./search";

const route = getRouteApi("/-/sign-in");

const FAILURES: Record<NonNullable<SignInSearch["failed"]>, string> = {
  denied: "GitHub access was denied.",
  stale: "The sign-in expired or began in another browser. Try again.",
  github: "GitHub did not confirm your identity. Try again, or see the server log.",
  "no-account": "No account for your GitHub login. Ask a server administrator.",
};

export function SignInPage() {
  // The router passes on raw values that its parser dropped. Parsing again here prevents redirects to other sites.
  const { to = "/", failed } = parseSignInSearch(route.useSearch());
  const { data: session } = useSuspenseQuery(sessionQuery);
  const signing = useMutation({
    mutationFn: signIn,
    onSuccess: () => window.location.assign(to),
  });
  useTitle("Sign in");
  return (
    <div className="state">
      <h1>Sign in</h1>
      {failed !== undefined && !signing.isPending && <p role="alert">{FAILURES[failed]}</p>}
      {!window.isSecureContext && <p className="warning">Signing in needs HTTPS, not plain HTTP.</p>}
      {session.has_github && (
        <p>
          <a className="button" href={githubHref(to)}>
            Sign in with GitHub
          </a>
        </p>
      )}
      <Form
        className="sign-in"
        submit="Sign in"
        change={signing}
        onSubmit={({ text }) => signing.mutate(text("token"))}
      >
        <label className="field">
          User token
          <input
            name="token"
            type="password"
            required
            autoComplete="current-password"
            placeholder="rtu_…"
            aria-describedby="token-note"
          />
        </label>
      </Form>
      <p className="muted" id="token-note">
        Administrators create accounts and their first token with{" "}
        <code>roundtrip-server account create --name NAME</code>.
      </p>
    </div>
  );
}
