/** What is measured now, or what waits in the order in which it begins: where, why, since when or until when. */
import type { Job } from "@/api/types";
import { Ago } from "@/components/ui/Ago";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import type { Begin } from "@/lib/queue";
import { CancelJob } from "./CancelJob";
import { JobName, JobPlace } from "./JobCells";
import { Reason } from "./Reason";

type Props = {
  label: string;
  project: string;
  jobs: Job[];
  begins: ReadonlyMap<number, Begin>;
  /** Whether who looks at it may cancel. */
  mayCancel: boolean;
  /** False on a page that is about one machine. */
  hasMachine?: boolean;
};

export function OpenJobs({ label, project, jobs, begins, mayCancel, hasMachine = true }: Props) {
  return (
    <ScrollRegion label={label}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">commit</th>
            {hasMachine && <th scope="col">machine</th>}
            <th scope="col">{jobs.every(({ status }) => status === "running") ? "begun" : "begins"}</th>
            <th scope="col">why</th>
            <th scope="col">asked for</th>
            {mayCancel && (
              <th scope="col">
                <span className="unseen">cancel</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.job_id}>
              <th scope="row">
                <JobName project={project} job={job} />
              </th>
              {hasMachine && (
                <td>
                  <JobPlace job={job} />
                </td>
              )}
              <td className="flexible">
                <Begins job={job} begin={begins.get(job.job_id)} />
              </td>
              <td className="flexible">
                <Reason project={project} job={job} />
              </td>
              <td className="muted">
                <Ago moment={job.created_at} />
              </td>
              {mayCancel && (
                <td className="number">
                  <CancelJob project={project} job={job} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Begins({ job, begin }: { job: Job; begin: Begin | undefined }) {
  const again = job.attempt > 1 && <span className="line muted">attempt {job.attempt}</span>;
  if (job.status === "running") {
    return (
      <>
        {job.started_at !== null && <Ago moment={job.started_at} />}
        {again}
      </>
    );
  }
  if (begin === undefined) return null;
  return (
    <>
      <span className={begin.kind === "blocked" ? "warning" : begin.kind === "unknown" ? "muted" : undefined}>
        {begin.text}
      </span>
      {job.failure !== null && <span className="line muted">the last time: {job.failure}</span>}
    </>
  );
}
