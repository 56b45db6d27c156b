/** The frame of every page: the header with the project and its pages, and the content. Embedded, a chart has none. */
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useLive } from "@/api/live";
import { projectsQuery } from "@/api/queries";
import { SelectField } from "@/components/ui/SelectField";
import { toHome, toOverview } from "@/lib/paths";
import { Connection } from "./Connection";
import { EmbeddedLayout } from "./EmbeddedLayout";
import { Mark } from "./Mark";
import { Overlays } from "./Overlays";
import { PageLinks } from "./PageLinks";
import { SearchButton } from "./SearchButton";
import { ThemeSwitch } from "./ThemeSwitch";
import { Who } from "./Who";

export function Layout() {
  const { project } = useParams({ strict: false });
  const embed = useSearch({ strict: false, select: ({ embed }) => embed });
  useLive(useIsProject(project) ? project : undefined);
  if (embed !== undefined) return <EmbeddedLayout />;
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <header className="header">
        <div className="header-inner">
          <Link {...toHome()} className="brand">
            <Mark />
            Roundtrip
          </Link>
          {project !== undefined && <ProjectSwitch project={project} />}
          <nav className="nav" aria-label="Pages">
            {project !== undefined && <PageLinks project={project} />}
          </nav>
          <SearchButton />
          <Who />
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

/** Whether there is such a project: a path may name any. */
function useIsProject(project: string | undefined): boolean {
  const { data } = useQuery({ ...projectsQuery, enabled: project !== undefined });
  return data?.projects.some((entry) => entry.project === project) ?? false;
}

/** The project's name; a choice when there are several, and it is one of them. */
function ProjectSwitch({ project }: { project: string }) {
  const navigate = useNavigate();
  const { data } = useQuery(projectsQuery);
  const projects = data?.projects.map((entry) => entry.project) ?? [];
  if (projects.length < 2 || !projects.includes(project)) return <span className="muted">{project}</span>;
  return (
    <SelectField
      label="Project"
      options={projects.map((name) => ({ value: name, label: name }))}
      value={project}
      onChange={(name) => navigate(toOverview(name))}
    />
  );
}
