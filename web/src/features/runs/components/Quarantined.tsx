/** Says of a run that nobody vouches for it, before any of its figures. */
import type { RunSummary } from "@/api/types";

export function Quarantined({ run }: { run: RunSummary }) {
  if (!run.quarantined) return null;
  return (
    <p className="lede warning">
      Quarantined: whoever uploaded this run does not vouch for it, as for a pull request of a fork. It is
      never part of the trend.
    </p>
  );
}
