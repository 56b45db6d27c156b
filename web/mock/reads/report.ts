/** A run's upload, told back from its detail. It has no results: nothing but a download shows it. */
import type { components } from "@/api/schema.gen";
import type { RunDetail } from "@/api/types";

type RunReport = components["schemas"]["RunReport"];

export function reportOf({ run, canaries, environment }: RunDetail): RunReport {
  const { sha, author, subject, committed_at } = run.commit;
  return {
    schema_version: 1,
    run_id: run.run_id,
    project: run.project,
    branch: run.branch,
    commit: { sha, author, subject, committed_at, parents: [] },
    history: [],
    work_tree_modified: run.work_tree_modified,
    machine: { slug: run.machine, os: "linux", arch: "x86-64" },
    environment,
    suite: {
      version: run.suite_version,
      build: run.build,
      preset: run.preset,
      order_seed: Number(run.order_seed),
    },
    started_at: run.started_at,
    finished_at: run.finished_at,
    canaries,
    results: [],
  };
}
