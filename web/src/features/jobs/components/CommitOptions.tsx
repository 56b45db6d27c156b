/** The newest commits that are known here, for inputs that name one. */
import { useQuery } from "@tanstack/react-query";
import { commitsQuery } from "@/api/queries";
import { shortSha } from "@/lib/commits";

const OFFERED = 100;

export function CommitOptions({ project, id }: { project: string; id: string }) {
  const { data } = useQuery(commitsQuery(project, { limit: OFFERED }));
  return (
    <datalist id={id}>
      {data?.commits.map(({ sha, subject }) => (
        <option key={sha} value={sha} label={`${shortSha(sha)} ${subject}`} />
      ))}
    </datalist>
  );
}
