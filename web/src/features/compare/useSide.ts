/** One side of a comparison, as the address names it and as the server knows it. */
import { useQuery } from "@tanstack/react-query";
import { commitQuery, runQuery } from "@/api/queries";
import type { CommitSummary } from "@/api/types";
import { revisionOf } from "./data";

export type Side = {
  /** What the server is asked for; null while it is not known, and of nothing. */
  name: string | null;
  commit: CommitSummary | null;
  /** Whether one run is meant, not the commit. */
  isRun: boolean;
  error: Error | null;
};

const NONE: Side = { name: null, commit: null, isRun: false, error: null };

export function useSide(project: string, text: string | undefined): Side {
  const revision = revisionOf(text ?? "");
  const commit = useQuery({
    ...commitQuery(project, revision.kind === "commit" ? revision.name : ""),
    enabled: revision.kind === "commit",
  });
  const run = useQuery({
    ...runQuery(revision.kind === "run" ? revision.runId : ""),
    enabled: revision.kind === "run",
  });
  switch (revision.kind) {
    case "run":
      return { name: revision.runId, commit: run.data?.run.commit ?? null, isRun: true, error: run.error };
    case "commit": {
      const known = commit.data?.commit ?? null;
      return { name: known?.sha ?? null, commit: known, isRun: false, error: commit.error };
    }
    default:
      return text === undefined ? NONE : { ...NONE, error: new Error(notUnderstood(text)) };
  }
}

function notUnderstood(text: string): string {
  return `“${text}” names no commit and no run: expected at least seven digits of an object name, or a run’s identity.`;
}
