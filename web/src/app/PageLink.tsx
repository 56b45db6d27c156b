/** A link to a page of the project. */
import { Link } from "@tanstack/react-router";
import { toOverview } from "@/lib/paths";
import type { ProjectPage } from "./pages";

export function PageLink({ project, page: { to, label } }: { project: string; page: ProjectPage }) {
  // Other pages have addresses below theirs; all have addresses below the overview's.
  return (
    <Link {...to(project)} activeOptions={{ exact: to === toOverview, includeSearch: false }}>
      {label}
    </Link>
  );
}
