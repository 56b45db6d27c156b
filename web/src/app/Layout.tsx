/** The frame of every page: header, navigation and content. Embedded charts have none. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { type Connection as State, useConnection } from "@/api/connection";
import { useLive } from "@/api/live";
import { isChangeable, projectsQuery } from "@/api/queries";
import { Menu, TextButton } from "@/components/ui/controls";
import { show } from "@/lib/overlays";
import { toHome, toOverview } from "@/lib/paths";
import { isSite, withParameter } from "@/lib/site";
import { formatClock } from "@/lib/time";
import { Options } from "./Options";
import { Overlays } from "./Overlays";
import { PageLink } from "./PageLink";
import { pageGroups } from "./pages";

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
          <button
            type="button"
            className="icon-button narrow-only"
            aria-label="Menu"
            aria-haspopup="dialog"
            onClick={() => show("menu")}
          >
            <Icon d={LINES} />
          </button>
          <Link {...toHome()} className={project === undefined ? "brand" : "brand wide-only"}>
            <Icon d={MARK} />
            Roundtrip
          </Link>
          {project !== undefined && <ProjectSwitch project={project} />}
          <nav className="nav wide-only" aria-label="Pages">
            {project !== undefined && <PageLinks project={project} />}
          </nav>
          <SearchButton />
          <div className="options wide-only">
            <Menu label={<Icon d={SLIDERS} />} name="Options">
              <Options project={project} />
            </Menu>
          </div>
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
  if (projects.length < 2 || !projects.includes(project))
    return <span className="project-switch muted">{project}</span>;
  return (
    <span className="field project-switch">
      <select
        aria-label="Project"
        value={project}
        onChange={({ target }) => navigate(toOverview(target.value))}
      >
        {projects.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </span>
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

function Icon({ d }: { d: string }) {
  return (
    <svg
      width={18}
      height={18}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
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
const LINES = "M2 4h12M2 8h12M2 12h12";
const SLIDERS = "M2 5h5M11 5h3M9 3v4M2 11h3M9 11h5M7 9v4";
const MAGNIFIER = "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.5 10.5L14 14";

/** The pages of a project; some are in menus. */
function PageLinks({ project }: { project: string }) {
  return [...pageGroups()].map(([menu, pages]) => {
    const links = pages.map((page) => <PageLink key={page.label} project={project} page={page} />);
    if (menu === "") return links;
    return (
      <Menu key={menu} label={menu}>
        {links}
      </Menu>
    );
  });
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

/** Opens the search. It looks like a field; with less space it is an icon. */
function SearchButton() {
  return (
    <button
      type="button"
      className="search-button"
      aria-label="Search"
      aria-haspopup="dialog"
      aria-keyshortcuts="/ Control+K Meta+K"
      onClick={() => show("palette")}
    >
      <Icon d={MAGNIFIER} />
      <span>Search</span>
      <kbd>/</kbd>
    </button>
  );
}
