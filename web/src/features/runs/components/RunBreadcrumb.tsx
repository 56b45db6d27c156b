/** Where a run stands: below the runs of its project, in the places that are given as list items. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toRuns } from "@/lib/paths";

export function RunBreadcrumb({ project, children }: { project: string; children: ReactNode }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className="breadcrumb">
        <li>
          <Link {...toRuns(project)}>Runs</Link>
        </li>
        {children}
      </ol>
    </nav>
  );
}
