/** Parses the two sides of a comparison. Pure. */
import type { CommitSummary, RunSummary } from "@/api/types";
import { ascending } from "@/lib/collections";

export type Revision =
  | { kind: "commit"; name: string; isWhole: boolean }
  | { kind: "run"; runId: string }
  | { kind: "none" };

/** Parses a commit hash of at least seven digits, or a run id. */
export function revisionOf(text: string): Revision {
  const name = text.trim().toLowerCase();
  if (/^[0-9a-f]{7,64}$/.test(name)) {
    return { kind: "commit", name, isWhole: name.length === 40 || name.length === 64 };
  }
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)
    ? { kind: "run", runId: name }
    : { kind: "none" };
}

/** The newest two measured commits of the main line as base and head; `null` if there are fewer. */
export function newestTwo(runs: readonly RunSummary[]): { base: CommitSummary; head: CommitSummary } | null {
  const commits = new Map(
    runs.filter(({ pull_request }) => pull_request === null).map(({ commit }) => [commit.sha, commit]),
  );
  const [head, base] = [...commits.values()].sort((one, other) => ascending(other.ordinal, one.ordinal));
  return head === undefined || base === undefined ? null : { base, head };
}
