/** What stands here while nothing is compared: the newest two measured commits are offered. */
import { Link } from "@tanstack/react-router";
import type { RunSummary } from "@/api/types";
import { CommandLine } from "@/components/ui/CommandLine";
import { CommitName } from "@/components/ui/CommitName";
import { toComparison } from "@/lib/paths";
import { newestTwo } from "../data";

export function Start({ project, runs }: { project: string; runs: RunSummary[] }) {
  const newest = newestTwo(runs);
  if (newest === null) {
    return (
      <div className="state">
        <p>
          {runs.length === 0 ? "No commit was measured yet" : "Only one commit was measured yet"}; a
          comparison needs two. In the project’s repository, at the commit that is to be measured:
        </p>
        <CommandLine command={`roundtrip run --upload ${window.location.origin}`} />
      </div>
    );
  }
  const { base, head } = newest;
  return (
    <div className="state">
      <p>
        Last measured: <CommitName commit={head} /> ‘{head.subject}’, and before it{" "}
        <CommitName commit={base} /> ‘{base.subject}’.
      </p>
      <p>
        <Link {...toComparison(project, base.sha, head.sha)} className="button">
          Compare these two
        </Link>
      </p>
    </div>
  );
}
