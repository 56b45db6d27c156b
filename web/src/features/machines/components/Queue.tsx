/** What waits to be measured, in the order in which it is, with an estimate and what that rests on. */
import { Link } from "@tanstack/react-router";
import { Ago } from "@/components/ui/Ago";
import { ScrollRegion } from "@/components/ui/ScrollRegion";
import { shortSha } from "@/lib/commits";
import { toMachine, toRegression } from "@/lib/paths";
import { type Pace, paceText, reasonText, type Waiting } from "@/lib/queue";
import { formatSpan } from "@/lib/time";
import { formatCount } from "@/lib/units";

type Props = {
  project: string;
  queue: Waiting[];
  paces: ReadonlyMap<string, Pace>;
  /** False on a page that is about one machine. */
  hasMachine?: boolean;
};

export function Queue({ project, queue, paces, hasMachine = true }: Props) {
  if (queue.length === 0) {
    return (
      <p className="muted">
        Nothing waits to be measured. Commits are asked for when a change lies between two that were measured,
        and when measuring once does not tell.
      </p>
    );
  }
  const machines = [...new Set(queue.map(({ job }) => job.machine))];
  const told = machines.flatMap((machine) => {
    const pace = paces.get(machine);
    return pace === undefined ? [] : [hasMachine ? `on ${machine} ${paceText(pace)}` : paceText(pace)];
  });
  return (
    <>
      <ScrollRegion label="Queue">
        <table className="table">
          <thead>
            <tr>
              {hasMachine && <th scope="col">machine</th>}
              <th scope="col">commit</th>
              <th scope="col">why</th>
              <th scope="col">asked for</th>
              <th scope="col" className="number">
                before it
              </th>
              <th scope="col" className="number">
                done in
              </th>
            </tr>
          </thead>
          <tbody>
            {queue.map(({ job, ahead, estimate_ms }) => (
              <tr key={job.job_id}>
                {hasMachine && (
                  <td>
                    <Link {...toMachine(project, job.machine)}>{job.machine}</Link>
                  </td>
                )}
                <th scope="row">
                  <code title={job.commit_sha}>{shortSha(job.commit_sha)}</code>
                </th>
                <td>
                  <Reason project={project} reason={job.reason} regressionId={job.regression_id} />
                </td>
                <td>
                  <Ago moment={job.created_at} />
                </td>
                <td className="number">{formatCount(ahead)}</td>
                <td className="number">
                  {estimate_ms === null ? (
                    <span className="muted">not known</span>
                  ) : (
                    `about ${formatSpan(estimate_ms)}`
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {told.length > 0 && (
        <p className="section-note">
          An estimate: {told.join("; ")}. Whoever measures something else meanwhile takes longer.
        </p>
      )}
    </>
  );
}

type ReasonProps = { project: string; reason: string; regressionId: number | null };

/** Why, and for which regression. */
export function Reason({ project, reason, regressionId }: ReasonProps) {
  return (
    <>
      {reasonText(reason)}
      {regressionId !== null && (
        <>
          , for <Link {...toRegression(project, regressionId)}>change {regressionId}</Link>
        </>
      )}
    </>
  );
}
