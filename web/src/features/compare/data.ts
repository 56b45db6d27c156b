/** Parses the two sides of a comparison. Pure. */
import type { CommitSummary, RunSummary } from "@/api/types";
import { ascending, groupBy } from "@/lib/collections";

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

/**
 * The newest measured commit of the main line, and the newest one before it on the same machine; `null` if there are fewer
 * than two commits.
 */
export function newestTwo(
  runs: readonly RunSummary[],
  defaultBranch: string | null,
): { base: CommitSummary; head: CommitSummary } | null {
  const isMain = ({ branch, pull_request, quarantined, superseded }: RunSummary) =>
    pull_request === null &&
    !quarantined &&
    !superseded &&
    (branch === null || defaultBranch === null || branch === defaultBranch);
  const commits = groupBy(runs.filter(isMain), ({ commit }) => commit.sha);
  const [newest, ...earlier] = [...commits.values()].sort(([one], [other]) =>
    ascending(other.commit.ordinal, one.commit.ordinal),
  );
  if (newest === undefined) return null;
  const machines = new Set(newest.map(({ machine }) => machine));
  const base =
    earlier.find((ofCommit) => ofCommit.some(({ machine }) => machines.has(machine))) ?? earlier[0];
  return base === undefined ? null : { base: base[0].commit, head: newest[0].commit };
}
