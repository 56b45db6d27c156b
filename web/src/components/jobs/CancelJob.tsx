/** Cancels a job that is open, once it was asked whether that is meant. */
import { cancelJob } from "@/api/lab";
import type { Job } from "@/api/types";
import { Confirm } from "@/components/form/Confirm";
import { FormError } from "@/components/form/Field";
import { shortSha } from "@/lib/commits";
import { placeText } from "@/lib/queue";
import { useChange } from "@/lib/useChange";

type Props = { project: string; job: Job; className?: string };

export function CancelJob({ project, job, className }: Props) {
  const cancelling = useChange(
    () => cancelJob(project, job.job_id),
    [
      ["jobs", project],
      ["job", project],
    ],
  );
  const sha = shortSha(job.commit_sha);
  return (
    <>
      <Confirm
        label="Cancel"
        name={`Cancel ${sha} on ${placeText(job)}`}
        question={`Cancel the measurement of ${sha}?`}
        isBusy={cancelling.isPending}
        onConfirm={() => cancelling.mutate(undefined)}
        {...(className !== undefined && { className })}
      >
        {job.status === "running"
          ? "Its agent ends it between two repetitions; what was measured of it until then is not kept."
          : "It leaves the queue. It can be asked for again at any time."}
      </Confirm>
      <FormError error={cancelling.error} fields={[]} />
    </>
  );
}
