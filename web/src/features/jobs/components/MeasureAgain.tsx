/** Asks for the same once more, and goes to what is asked for. */
import { useNavigate } from "@tanstack/react-router";
import { requestJobs } from "@/api/lab";
import type { JobDetail } from "@/api/types";
import { FormError } from "@/components/form/Field";
import { toJob } from "@/lib/paths";
import { useChange } from "@/lib/useChange";
import { againOf } from "../data";

export function MeasureAgain({ project, job }: { project: string; job: JobDetail }) {
  const navigate = useNavigate();
  const request = againOf(job);
  const asking = useChange(
    (again: NonNullable<typeof request>) => requestJobs(project, again),
    [["jobs", project]],
  );
  if (request === null) {
    return <p className="muted">A pull request is measured again from where it was queued, not from here.</p>;
  }
  const ask = () =>
    asking.mutate(request, {
      onSuccess: ([job_id]) => {
        if (job_id !== undefined) navigate(toJob(project, job_id));
      },
    });
  return (
    <>
      <button type="button" className="button" disabled={asking.isPending} onClick={ask}>
        Measure again
      </button>
      {asking.data?.length === 0 && <span role="status">The same is open already.</span>}
      <FormError error={asking.error} fields={[]} />
    </>
  );
}
