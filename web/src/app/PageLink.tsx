/** A link to a page of the project. */
import { Link } from "@tanstack/react-router";
import { activeOptions, type ProjectPage } from "./pages";

export function PageLink({ project, page }: { project: string; page: ProjectPage }) {
  return (
    <Link {...page.to(project)} activeOptions={activeOptions(page)}>
      {page.label}
    </Link>
  );
}
