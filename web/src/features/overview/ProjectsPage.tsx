/** The projects of a server, or the first steps if it has none. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { projectsQuery, sessionQuery } from "@/api/queries";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { Ago } from "@/components/ui/text";
import { refusal } from "@/lib/access";
import { useTitle } from "@/lib/hooks";
import { toNewProject, toOverview } from "@/lib/paths";
import { counted, formatCount } from "@/lib/units";
import { Onboarding } from "./Onboarding";

export function ProjectsPage() {
  const { data: projects } = useSuspenseQuery(projectsQuery);
  const { data: session } = useQuery(sessionQuery);
  useTitle("Projects");
  if (projects.length === 0) return <Onboarding project={null} />;
  return (
    <>
      <h1>{counted(projects.length, "project")}</h1>
      <div className="section">
        <RowTable
          label="Projects"
          rows={projects}
          keyOf={({ project }) => project}
          columns={[
            [rowHead("Project"), ({ project }) => <Link {...toOverview(project)}>{project}</Link>],
            [numeric("Series"), ({ series_count }) => formatCount(series_count)],
            [numeric("Commits"), ({ commit_count }) => formatCount(commit_count)],
            [numeric("Machines"), ({ machine_count }) => formatCount(machine_count)],
            [numeric("Runs"), ({ run_count }) => formatCount(run_count)],
            ["Last run", ({ last_run_at }) => (last_run_at == null ? "none" : <Ago moment={last_run_at} />)],
          ]}
        />
      </div>
      {session !== undefined && refusal(session, "", "run-server") === null && (
        <p className="section">
          <Link {...toNewProject()} className="button">
            New project
          </Link>
        </p>
      )}
    </>
  );
}
