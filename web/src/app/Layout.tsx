/** The frame of every page: header, navigation and content. Embedded charts have none. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { type Connection as State, useConnection } from "@/api/connection";
import { useLive } from "@/api/live";
import { isChangeable, projectsQuery, sessionQuery } from "@/api/queries";
import { signOut } from "@/api/writes";
import { Menu, optionsOf, SelectField, TextButton } from "@/components/ui/controls";
import { show } from "@/lib/overlays";
import { SIGN_IN_PATH, toHome, toOverview, toSignIn } from "@/lib/paths";
import { isSite, withParameter } from "@/lib/site";
import { chooseTheme, THEMES, type Theme, useTheme } from "@/lib/theme";
import { formatClock, formatDay } from "@/lib/time";
import { Overlays } from "./Overlays";
import { DAILY_PAGES, OVERVIEW, otherPages } from "./pages";

export function Layout() {
  const { project } = useParams({ strict: false });
  const embed = useSearch({ strict: false, select: ({ embed }) => embed });
  useLive(useIsProject(project) && !isSite() ? project : undefined);
  if (embed !== undefined) return <EmbeddedLayout />;
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it is a link, but a static site has its page in the fragment. */}
      <a className="skip-link" href="#content" onClick={skipToContent}>
        Skip to content
      </a>
      <header className="header">
        <div className="header-inner">
          <Link {...toHome()} className="brand">
            <Icon size={18} strokeWidth={1.6} d={MARK} />
            Roundtrip
          </Link>
          {project !== undefined && <ProjectSwitch project={project} />}
          <nav className="nav" aria-label="Pages">
            {project !== undefined && <PageLinks project={project} />}
          </nav>
          <SearchButton />
          {isSite() ? <SiteMark /> : <AccountMenu />}
          <ThemeSwitch />
        </div>
      </header>
      <Connection />
      <main className="page" id="content" tabIndex={-1}>
        <Outlet />
      </main>
      <Overlays project={project} />
    </>
  );
}

/** Moves the focus without a change of the address, whose fragment is the page of a static site. */
function skipToContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function useIsProject(project: string | undefined): boolean {
  const { data } = useQuery({ ...projectsQuery, enabled: project !== undefined });
  return data?.some((entry) => entry.project === project) ?? false;
}

/** The project's name; a selection if there are several. */
function ProjectSwitch({ project }: { project: string }) {
  const navigate = useNavigate();
  const { data } = useQuery(projectsQuery);
  const projects = data?.map((entry) => entry.project) ?? [];
  if (projects.length < 2 || !projects.includes(project)) return <span className="muted">{project}</span>;
  return (
    <SelectField
      label="Project"
      options={optionsOf(projects)}
      value={project}
      onChange={(name) => navigate(toOverview(name))}
    />
  );
}

/** A chart embedded in another page: only the chart is visible. Links open in a new tab. */
function EmbeddedLayout() {
  return (
    <main className="embedding" onClickCapture={openInNewTab}>
      <Outlet />
    </main>
  );
}

function openInNewTab(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute("download")) return;
  event.preventDefault();
  event.stopPropagation();
  const address =
    link.origin === window.location.origin ? withParameter(link.href, "embed", null) : link.href;
  window.open(address, "_blank", "noopener");
}

function Icon({ size, strokeWidth, d }: { size: number; strokeWidth: number; d: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={strokeWidth}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={d} />
    </svg>
  );
}

/** The logo: two arrows. */
const MARK = "M2 5.5h11M10.5 3L13 5.5 10.5 8M14 10.5H3M5.5 8L3 10.5 5.5 13";

/** The pages of a project; less frequent ones are in a menu. */
function PageLinks({ project }: { project: string }) {
  return (
    <>
      <Link {...OVERVIEW.to(project)} activeOptions={{ exact: true, includeSearch: false }}>
        {OVERVIEW.label}
      </Link>
      {DAILY_PAGES.map(({ to, label }) => (
        <Link key={label} {...to(project)} activeOptions={{ includeSearch: false }}>
          {label}
        </Link>
      ))}
      <Menu label="More">
        {otherPages().map(({ to, label }) => (
          <Link key={label} {...to(project)} activeOptions={{ includeSearch: false }}>
            {label}
          </Link>
        ))}
        <TextButton className="text-button menu-first" onClick={() => show("views")}>
          Saved views
        </TextButton>
        <TextButton onClick={() => show("keys")}>Shortcuts</TextButton>
      </Menu>
    </>
  );
}

const SHAPES: Record<Theme, string> = {
  system: "M2 3h12v8H2zM6 14h4M8 11v3",
  light:
    "M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3.1 3.1l1 1M11.9 11.9l1 1M3.1 12.9l1-1M11.9 4.1l1-1",
  dark: "M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3z",
};

const NAMES: Record<Theme, string> = {
  system: "System theme",
  light: "Light theme",
  dark: "Dark theme",
};

function ThemeSwitch() {
  const chosen = useTheme();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would add a legend and a frame.
    <div className="segmented theme" role="group" aria-label="Theme">
      {THEMES.map((theme) => (
        <button
          key={theme}
          type="button"
          title={NAMES[theme]}
          aria-label={NAMES[theme]}
          aria-pressed={theme === chosen}
          onClick={() => chooseTheme(theme)}
        >
          <Icon size={14} strokeWidth={1.4} d={SHAPES[theme]} />
        </button>
      ))}
    </div>
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
    <span className="who muted">
      <span>
        Static site{newest !== undefined && <span className="site-date">, {formatDay(newest)}</span>}
      </span>
    </span>
  );
}

function AccountMenu() {
  const { data: session } = useQuery(sessionQuery);
  const { pathname, href } = useLocation();
  // A full load discards the cached data of the account.
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
      <TextButton disabled={leaving.isPending} onClick={() => leaving.mutate()}>
        Sign out
      </TextButton>
    </span>
  );
}

/** A line below the header while the data may be stale. It disappears by itself. */
export function Connection() {
  const connection = useConnection();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ predicate: isChangeable });
  return (
    // Always in the document, so that screen readers announce changes.
    <div className="connection" role="status">
      {connection.kind !== "live" && (
        <p>
          {textOf(connection)}
          {connection.kind !== "offline" && (
            <>
              {" "}
              <TextButton onClick={refresh}>Refresh</TextButton>
            </>
          )}
        </p>
      )}
    </div>
  );
}

function textOf({ kind, since }: Exclude<State, { kind: "live" }>): string {
  const clock = formatClock(since);
  switch (kind) {
    case "offline":
      return `Offline. Data from ${clock}.`;
    case "no answer":
      return `Server not responding. Data from ${clock}.`;
    case "not live":
      return `Live updates lost at ${clock}.`;
  }
}

export const EXAMPLE = "transport:pipe size:>=64k os:linux p99";

/** Opens the search. It looks like a field; on narrow screens it is a word. */
function SearchButton() {
  return (
    <button
      type="button"
      className="search-button"
      aria-haspopup="dialog"
      aria-keyshortcuts="/ Control+K Meta+K"
      onClick={() => show("palette")}
    >
      <span className="search-word">Search</span>
      <span className="search-example">{EXAMPLE}</span>
      <kbd>/</kbd>
    </button>
  );
}
