/** Texts for suspicions: commits whose first results are unexpected. Pure. */
import type { Suspicion } from "@/api/types";
import { changeText } from "./changes";
import { formatSpan } from "./time";

/** `+21 % on lab-1`, `+21 % in 3 cases on lab-1`. The first case has the largest slowdown. */
export function estimateText({ cases, machine }: Pick<Suspicion, "cases" | "machine">): string {
  const [first] = cases;
  const size = first === undefined ? "changed" : changeText(first.change);
  return `${size}${cases.length > 1 ? ` in ${cases.length} cases` : ""} on ${machine}`;
}

/** What happens next: `confirming, about 2 min`. */
export function progressText({ job_status, job_seconds }: Suspicion): string {
  const duration = job_seconds === null ? "" : `, about ${formatSpan(job_seconds * 1000)}`;
  if (job_status === "running") return `confirming${duration}`;
  return `queued for confirmation${duration}`;
}

/** Whether a job decides. Otherwise, later commits do, or the user. */
export function hasJob({ job_status }: Suspicion): boolean {
  return job_status === "queued" || job_status === "running" || job_status === "done";
}

/** Enough of an object name to be unique in large repositories, and for a command to fit in a line. */
const COMMAND_SHA_LENGTH = 12;

/** The command that compares the commit with its base. */
export function commandOf({ base_commit, commit }: Suspicion): string {
  const [base, head] = [base_commit, commit].map(({ sha }) => sha.slice(0, COMMAND_SHA_LENGTH));
  return `roundtrip ab --of revision --base ${base} --head ${head}`;
}
