/** A commit by its short object name, and its subject where there is room. */
import type { CommitSummary } from "@/api/types";
import { shortSha } from "@/lib/commits";

type Props = { commit: CommitSummary; subject?: boolean };

export function CommitName({ commit, subject = false }: Props) {
  return (
    <>
      <code title={commit.sha}>{shortSha(commit.sha)}</code>
      {subject && <> {commit.subject}</>}
    </>
  );
}
