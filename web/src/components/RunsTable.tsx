/** Runs, newest first: what was measured where, and what came of it. */
import { Link } from "@tanstack/react-router";
import type { RunSummary } from "@/api/types";
import { numeric, Table } from "@/components/ui/Table";
import { Ago, CommitName } from "@/components/ui/text";
import { isImport } from "@/lib/imports";
import { toRun } from "@/lib/paths";
import { formatDuration } from "@/lib/time";
import { formatCount } from "@/lib/units";

export function RunsTable({ label, runs }: { label: string; runs: RunSummary[] }) {
  return (
    <Table
      label={label}
      heads={[
        "commit",
        { name: "subject", className: "grow" },
        "machine",
        "preset",
        numeric("points"),
        numeric("unsupported"),
        numeric("failures"),
        numeric("took"),
        "measured",
      ]}
    >
      <tbody>
        {runs.map((run) => (
          <tr key={run.run_id}>
            <th scope="row">
              <Link {...toRun(run.project, run.run_id)}>
                <CommitName commit={run.commit} />
              </Link>
            </th>
            <td className="grow" title={run.commit.subject}>
              {run.commit.subject} <Remarks run={run} />
            </td>
            <td>{run.machine}</td>
            <td className="muted">{run.preset}</td>
            <td className="number">{formatCount(run.point_count)}</td>
            <td className="number">{formatCount(run.unsupported_count)}</td>
            <td className={run.failure_count > 0 ? "number warning" : "number"}>
              {formatCount(run.failure_count)}
            </td>
            <td className="number">{!isImport(run) && formatDuration(run.started_at, run.finished_at)}</td>
            <td>
              <Ago moment={run.finished_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** What keeps a run from being compared without thought. */
function Remarks({ run }: { run: RunSummary }) {
  const remarks = [
    ...(run.superseded ? ["superseded"] : []),
    ...(run.work_tree_modified ? ["modified work tree"] : []),
    ...(run.build === "release" || isImport(run) ? [] : [`${run.build} build`]),
  ];
  return remarks.length === 0 ? null : <span className="warning">({remarks.join(", ")})</span>;
}
