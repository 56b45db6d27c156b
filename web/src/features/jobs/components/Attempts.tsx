/** Each time that an agent took a job: where, how that ended, and what was printed. */
import type { Attempt, JobDetail } from "@/api/types";
import { formatDuration, formatMoment } from "@/lib/time";
import { upperFirst } from "@/lib/units";
import { attemptText } from "../data";

export function Attempts({ job }: { job: JobDetail }) {
  if (job.attempts.length === 0) {
    return (
      <p className="muted">
        {job.status === "running" ? "The first one is not over yet." : "No agent has taken it."}
      </p>
    );
  }
  return (
    <>
      {job.attempts.map((attempt) => (
        <One key={attempt.fence} attempt={attempt} />
      ))}
    </>
  );
}

function One({ attempt }: { attempt: Attempt }) {
  const { machine, started_at, ended_at, output, outcome } = attempt;
  return (
    <article className="attempt">
      <h3 className={outcome === "done" ? undefined : "warning"}>{upperFirst(attemptText(attempt))}</h3>
      <p className="muted">
        on {machine}, {formatMoment(started_at)}, {formatDuration(started_at, ended_at)}
      </p>
      {output === "" ? (
        <p className="muted">It printed nothing.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        <section className="output" tabIndex={0} aria-label={`What was printed on ${machine}`}>
          <pre>{output}</pre>
        </section>
      )}
    </article>
  );
}
