/** Commits that are probably slower after their first run: a line each, until a paired comparison decides. No alert. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { suspicionsQuery } from "@/api/queries";
import type { Suspicion } from "@/api/types";
import { CommandLine, CommitName } from "@/components/ui/text";
import { toJob } from "@/lib/paths";
import { isSite } from "@/lib/site";
import { commandOf, estimateText, hasJob, progressText } from "@/lib/suspicions";

type Props = {
  project: string;
  /** Only suspicions of this commit. */
  commit?: string;
};

export function Suspicions({ project, commit }: Props) {
  const { data } = useQuery(suspicionsQuery(project, { state: "waiting", ...(commit && { commit }) }));
  const suspicions = data?.suspicions ?? [];
  if (suspicions.length === 0) return null;
  return (
    <ul className="suspicions section" aria-label="Suspected commits">
      {suspicions.map((suspicion) => (
        <li key={suspicion.suspicion_id}>
          <SuspicionLine project={project} suspicion={suspicion} />
        </li>
      ))}
    </ul>
  );
}

function SuspicionLine({ project, suspicion }: { project: string; suspicion: Suspicion }) {
  const { commit, job_id } = suspicion;
  const isDecided = hasJob(suspicion) && job_id !== null;
  return (
    <>
      <span className="suspicion">Likely</span> <CommitName commit={commit} />, {estimateText(suspicion)};{" "}
      {isDecided ? (
        isSite() ? (
          progressText(suspicion)
        ) : (
          <Link {...toJob(project, job_id)}>{progressText(suspicion)}</Link>
        )
      ) : (
        <>
          no agent can confirm it. Run there:
          <CommandLine command={commandOf(suspicion)} />
        </>
      )}
    </>
  );
}
