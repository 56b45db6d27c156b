/** What was asked for and has been measured, the newest first. */
import { Link } from "@tanstack/react-router";
import type { Job } from "@/api/types";
import { Ago } from "@/components/ui/Ago";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { shortSha } from "@/lib/commits";
import { toMachine, toRun } from "@/lib/paths";
import { formatDuration } from "@/lib/time";
import { Reason } from "./Queue";

export function DoneJobs({ project, jobs }: { project: string; jobs: Job[] }) {
  return (
    <ScrollRegion label="Measured on request">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">machine</th>
            <th scope="col">commit</th>
            <th scope="col">why</th>
            <th scope="col">measured</th>
            <th scope="col" className="number">
              waited
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.job_id}>
              <td>
                <Link {...toMachine(project, job.machine)}>{job.machine}</Link>
              </td>
              <th scope="row">
                <code title={job.commit_sha}>{shortSha(job.commit_sha)}</code>
              </th>
              <td>
                <Reason project={project} reason={job.reason} regressionId={job.regression_id} />
              </td>
              <td>
                {job.done_at !== null && job.done_by_run_id !== null && (
                  <Link {...toRun(project, job.done_by_run_id)}>
                    <Ago moment={job.done_at} />
                  </Link>
                )}
              </td>
              <td className="number">
                {job.done_at !== null && formatDuration(job.created_at, job.done_at)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
