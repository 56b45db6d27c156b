/** The projects of a server that has several; how to begin on one that has none. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { projectsQuery, sessionQuery } from "@/api/queries";
import { numeric, Table } from "@/components/ui/Table";
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
      <h1>{counted(projects.length, "project")} measured here</h1>
      <div className="section">
        <Table
          label="Projects"
          heads={[
            "project",
            numeric("series"),
            numeric("commits"),
            numeric("machines"),
            numeric("runs"),
            "last run",
          ]}
        >
          <tbody>
            {projects.map((entry) => (
              <tr key={entry.project}>
                <th scope="row">
                  <Link {...toOverview(entry.project)}>{entry.project}</Link>
                </th>
                <td className="number">{formatCount(entry.series_count)}</td>
                <td className="number">{formatCount(entry.commit_count)}</td>
                <td className="number">{formatCount(entry.machine_count)}</td>
                <td className="number">{formatCount(entry.run_count)}</td>
                <td>{entry.last_run_at == null ? "none yet" : <Ago moment={entry.last_run_at} />}</td>
              </tr>
            ))}
          </tbody>
        </Table>
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
