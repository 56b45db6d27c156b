/** Asks for commits to be measured: which, where, how, and against which other. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { agentsQuery } from "@/api/labQueries";
import { projectQuery, sessionQuery } from "@/api/queries";
import { NotAllowed } from "@/components/form/NotAllowed";
import { refusal } from "@/lib/access";
import { toQueue, toSettings } from "@/lib/paths";
import { useTitle } from "@/lib/useTitle";
import { MeasureForm } from "./components/MeasureForm";

const route = getRouteApi("/$project/measure");

export function MeasurePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { data: agents } = useSuspenseQuery(agentsQuery(project));
  const { data: session } = useSuspenseQuery(sessionQuery);
  useTitle(`Ask for a measurement of ${project}`);
  return (
    <>
      <header>
        <nav aria-label="Breadcrumb">
          <ol className="breadcrumb">
            <li>
              <Link {...toQueue(project)}>Queue</Link>
            </li>
            <li>ask</li>
          </ol>
        </nav>
        <h1>Ask for a measurement</h1>
        <p className="lede">
          What people ask for goes before what schedules and pushes bring. What is open already is not asked
          for twice.
        </p>
        {summary.repository_url === null && (
          <p className="lede warning">
            Agents do not know where to fetch {project} from, and measure nothing of it until{" "}
            <Link {...toSettings(project)}>the settings</Link> say so.
          </p>
        )}
      </header>
      <div className="section">
        {refusal(session, project, "queue") === null ? (
          // Another address is another wish.
          <MeasureForm key={JSON.stringify(search)} project={project} search={search} agents={agents} />
        ) : (
          <NotAllowed session={session} project={project} action="queue" what="ask for measurements" />
        )}
      </div>
    </>
  );
}
