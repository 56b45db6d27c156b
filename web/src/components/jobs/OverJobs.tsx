/** What was asked for and is over, the newest first: what became of it. */
import { Link } from "@tanstack/react-router";
import type { Job } from "@/api/types";
import { Ago } from "@/components/ui/Ago";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { toRun } from "@/lib/paths";
import { formatDuration } from "@/lib/time";
import { JobName, JobPlace } from "./JobCells";
import { Reason } from "./Reason";

export function OverJobs({ project, jobs }: { project: string; jobs: Job[] }) {
  return (
    <ScrollRegion label="Over">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">commit</th>
            <th scope="col">machine</th>
            <th scope="col">what became of it</th>
            <th scope="col">why</th>
            <th scope="col">ended</th>
            <th scope="col" className="number">
              in all
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.job_id}>
              <th scope="row">
                <JobName project={project} job={job} />
              </th>
              <td>
                <JobPlace job={job} />
              </td>
              <td className="flexible">
                <Outcome project={project} job={job} />
              </td>
              <td className="flexible">
                <Reason project={project} job={job} />
              </td>
              <td>{job.done_at !== null && <Ago moment={job.done_at} />}</td>
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

function Outcome({ project, job: { status, failure, done_by_run_id } }: { project: string; job: Job }) {
  if (status === "failed") {
    return <span className="warning">failed{failure !== null && `: ${failure}`}</span>;
  }
  if (status === "done" && done_by_run_id !== null)
    return <Link {...toRun(project, done_by_run_id)}>measured</Link>;
  return <span className="muted">{status === "done" ? "measured" : status}</span>;
}
