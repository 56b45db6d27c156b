/** Runs, newest first. */
import { Link } from "@tanstack/react-router";
import type { RunSummary } from "@/api/types";
import { numeric, RowTable, rowHead } from "@/components/ui/Table";
import { Ago, ShortSha } from "@/components/ui/text";
import { isImport } from "@/lib/imports";
import { toCommit, toRun } from "@/lib/paths";
import { formatDuration } from "@/lib/time";
import { formatCount } from "@/lib/units";

export function RunsTable({ label, runs }: { label: string; runs: RunSummary[] }) {
  return (
    <RowTable
      label={label}
      rows={runs}
      keyOf={({ run_id }) => run_id}
      columns={[
        [
          rowHead("Commit"),
          ({ project, run_id, commit: { sha } }) => (
            <Link {...toRun(project, run_id)}>
              <ShortSha sha={sha} />
            </Link>
          ),
        ],
        [
          { name: "Subject", className: "grow" },
          (run) => (
            <>
              <Link {...toCommit(run.project, run.commit.sha)}>{run.commit.subject}</Link>{" "}
              <Remarks run={run} />
            </>
          ),
          ({ commit }) => ({ className: "grow", title: commit.subject }),
        ],
        ["Machine", ({ machine }) => machine],
        ["Preset", ({ preset }) => preset, "muted"],
        [numeric("Points"), (run) => formatCount(run.point_count)],
        [numeric("Unsupported"), (run) => formatCount(run.unsupported_count)],
        [
          numeric("Failures"),
          (run) => formatCount(run.failure_count),
          (run) => ({ className: run.failure_count > 0 ? "number warning" : "number" }),
        ],
        [numeric("Duration"), (run) => !isImport(run) && formatDuration(run.started_at, run.finished_at)],
        ["Measured", (run) => <Ago moment={run.finished_at} />],
      ]}
    />
  );
}

function Remarks({ run }: { run: RunSummary }) {
  const remarks = [
    ...(run.superseded ? ["superseded"] : []),
    ...(run.work_tree_modified ? ["modified or unbuilt"] : []),
    ...(run.build === "release" || isImport(run) ? [] : [`${run.build} build`]),
  ];
  return remarks.length === 0 ? null : <span className="warning">({remarks.join(", ")})</span>;
}
