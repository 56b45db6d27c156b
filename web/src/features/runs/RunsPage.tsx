/** All runs of a project, newest first, with pagination. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { machinesQuery, projectQuery, runsQuery } from "@/api/queries";
import { RunsTable } from "@/components/RunsTable";
import { Older, optionsOf, SelectField } from "@/components/ui/controls";
import { useSearchChange, useTitle } from "@/lib/hooks";
import { counted } from "@/lib/units";
import type { RunsSearch } from "./search";

const route = getRouteApi("/$project/runs");

export function RunsPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const change = useSearchChange<RunsSearch>();
  const { data: summary } = useSuspenseQuery(projectQuery(project));
  const { data: machines } = useSuspenseQuery(machinesQuery(project));
  const { data: page } = useSuspenseQuery(runsQuery(project, search));
  useTitle(`Runs of ${project}`);
  const names = machines.map(({ machine }) => machine);
  return (
    <>
      <h1>
        {counted(summary.run_count, "run")} of {counted(summary.commit_count, "commit")}
      </h1>
      {names.length > 1 && (
        <div className="controls section">
          <SelectField
            label="Machine"
            options={[{ value: "", label: "All" }, ...optionsOf(names)]}
            value={search.machine ?? ""}
            onChange={(machine) => change({ machine: machine || undefined, after: undefined })}
          />
        </div>
      )}
      <div className="section">
        {page.runs.length > 0 ? <RunsTable label="Runs" runs={page.runs} /> : <p>No matching runs.</p>}
      </div>
      <Older after={page.next_after} />
    </>
  );
}
