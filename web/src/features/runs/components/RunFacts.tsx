/** What a run is: its identity, when it was made and by what. */

import { Link } from "@tanstack/react-router";
import type { RunDetail } from "@/api/types";
import { Facts } from "@/components/ui/Facts";
import { toJob } from "@/lib/paths";
import { formatDuration, formatMoment } from "@/lib/time";

export function RunFacts({ detail: { run } }: { detail: RunDetail }) {
  return (
    <Facts
      facts={[
        { name: "commit", value: <code>{run.commit.sha}</code> },
        { name: "committed", value: formatMoment(run.commit.committed_at) },
        { name: "branch", value: run.branch ?? "none was checked out" },
        ...(run.pull_request == null ? [] : [{ name: "pull request", value: `#${run.pull_request}` }]),
        { name: "measured", value: formatMoment(run.started_at) },
        { name: "took", value: formatDuration(run.started_at, run.finished_at) },
        { name: "suite", value: `${run.suite_version}, ${run.build} build` },
        { name: "preset", value: run.preset },
        { name: "order of repetitions", value: `drawn from seed ${run.order_seed}` },
        ...(run.job_id === null
          ? []
          : [{ name: "job", value: <Link {...toJob(run.project, run.job_id)}>{run.job_id}</Link> }]),
        { name: "run", value: <code>{run.run_id}</code> },
      ]}
    />
  );
}
