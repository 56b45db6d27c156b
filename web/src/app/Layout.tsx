/** The frame of every page: the header with the project and its pages, and the content. */
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { projectsQuery } from "@/api/queries";
import { SelectField } from "@/components/ui/SelectField";
import { toHome, toOverview, toRuns } from "@/lib/paths";
import { Mark } from "./Mark";
import { ThemeSwitch } from "./ThemeSwitch";

export function Layout() {
  const { project } = useParams({ strict: false });
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
            {project !== undefined && (
              <>
                <Link {...toOverview(project)} activeOptions={{ exact: true, includeSearch: false }}>
                  Overview
                </Link>
                <Link {...toRuns(project)} activeOptions={{ includeSearch: false }}>
                  Runs
                </Link>
              </>
            )}
          </nav>
          <ThemeSwitch />
        </div>
      </header>
      <main className="page" id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}

/** The project's name; a choice when there are several. */
function ProjectSwitch({ project }: { project: string }) {
  const navigate = useNavigate();
  const { data } = useQuery(projectsQuery);
  const projects = data?.projects.map((entry) => entry.project) ?? [];
  if (projects.length < 2) return <span className="muted">{project}</span>;
  return (
    <SelectField
      label="Project"
      options={projects.map((name) => ({ value: name, label: name }))}
      value={project}
      onChange={(name) => navigate(toOverview(name))}
    />
  );
}
