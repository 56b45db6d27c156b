/** Settings, saved views, shortcuts, theme and account: a menu of the header, and part of the menu on phones. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { projectsQuery, sessionQuery } from "@/api/queries";
import { signOut } from "@/api/writes";
import { optionsOf, Segmented, TextButton } from "@/components/ui/controls";
import { show } from "@/lib/overlays";
import { SIGN_IN_PATH, toSignIn } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { chooseTheme, THEMES, useTheme } from "@/lib/theme";
import { formatDay } from "@/lib/time";
import { upperFirst } from "@/lib/units";
import { PageLink } from "./PageLink";
import { settingsPages } from "./pages";

export function Options({ project }: { project: string | undefined }) {
  const theme = useTheme();
  return (
    <>
      {isSite() ? <SiteMark /> : <Account />}
      {project !== undefined && (
        <>
          {settingsPages().map((page) => (
            <PageLink key={page.label} project={project} page={page} />
          ))}
          <TextButton onClick={() => show("views")}>Saved views</TextButton>
        </>
      )}
      <TextButton onClick={() => show("keys")}>Shortcuts</TextButton>
      <Segmented label="Theme" options={optionsOf(THEMES, upperFirst)} value={theme} onChange={chooseTheme} />
    </>
  );
}

/** Instead of an account, with the date of the newest run. */
function SiteMark() {
  const { data: projects = [] } = useQuery(projectsQuery);
  const newest = projects
    .flatMap(({ last_run_at }) => last_run_at ?? [])
    .toSorted()
    .at(-1);
  return (
    <p className="muted">
      Static site
      {newest !== undefined && <span>, {formatDay(newest)}</span>}
    </p>
  );
}

function Account() {
  const { data: session } = useQuery(sessionQuery);
  const { pathname, href } = useLocation();
  // A full load discards the cached data of the account.
  const leaving = useMutation({ mutationFn: signOut, onSuccess: () => window.location.assign("/") });
  if (session === undefined || (session.account === null && pathname === SIGN_IN_PATH)) return null;
  if (session.account === null) return <Link {...toSignIn(href)}>Sign in</Link>;
  return (
    <p className="account muted">
      {session.account.name}
      <TextButton disabled={leaving.isPending} onClick={() => leaving.mutate()}>
        Sign out
      </TextButton>
    </p>
  );
}
