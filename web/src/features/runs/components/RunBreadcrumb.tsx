/** Where a run stands: below the runs of its project. */
import { Link } from "@tanstack/react-router";
import { toRuns } from "@/lib/paths";

export function RunBreadcrumb({ project, places }: { project: string; places: string[] }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className="breadcrumb">
        <li>
          <Link {...toRuns(project)}>Runs</Link>
        </li>
        {places.map((place) => (
          <li key={place}>{place}</li>
        ))}
      </ol>
    </nav>
  );
}
