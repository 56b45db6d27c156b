/** The commits of the mock: a main line, and the heads of pull requests. */
import type { CommitSummary, Note } from "@/api/types";
import { aCommit } from "@/test/fixtures";

export const COMMIT_COUNT = 40;
/** The commits that make the library slower and faster. */
export const SLOWER_AT = 28;
export const FASTER_AT = 15;
/** The commits at which a kernel was updated and a machine became slower. */
export const KERNEL_AT = 20;
export const MACHINE_AT = 34;
/** The commit from which on the p99 of a series is a larger multiple of its p50. */
export const TAIL = { at: 25, factor: 1.6 };
/** A change below the threshold, and a drift of small steps. */
export const SMALL_AT = 19;
export const DRIFT = { after: 21, at: 36, change: 0.061 };
/** The commits at which a machine switched between two states; the first two switches make both known. */
export const SWITCHES_AT = [4, 8, 12, 15];
export const KNOWN_SWITCHES_AT = SWITCHES_AT.slice(2);

/** The time of the first commit, and the interval between commits. */
const BEGIN_MS = Date.parse("2026-11-03T08:00:00Z");
const STEP_MS = 12 * 3_600_000;

const SUBJECTS = [
  "pool: reuse send buffers",
  "ring: pad the slots to a cache line",
  "codec: decode headers without a copy",
  "docs: describe full channels",
  "router: use one queue per topic, to distinguish slow receivers from dead ones",
  "tests: wait for the peer instead of sleeping",
  "build: require the stable toolchain",
  "ring: check the epoch after waking up",
];
const AUTHORS = ["Ada Okafor", "Ben Lindqvist", "Chen Wei"];

const TELLING: Record<number, string> = {
  [FASTER_AT]: "ring: spin before asking the kernel to wake",
  [SLOWER_AT]: "ring: verify every slot on receipt",
};

function commit(ordinal: number, branch = 0): CommitSummary {
  return aCommit({
    sha: hex(40, 7, ordinal, branch),
    ordinal,
    subject: TELLING[branch === 0 ? ordinal : -1] ?? SUBJECTS[(ordinal + branch) % SUBJECTS.length] ?? "",
    author: AUTHORS[(ordinal + branch) % AUTHORS.length] ?? "",
    committed_at: new Date(BEGIN_MS + ordinal * STEP_MS + branch * 60_000).toISOString(),
  });
}

export function mainLine(count: number): CommitSummary[] {
  return Array.from({ length: count }, (_, index) => commit(index + 1));
}

/** The head of a pull request with its merge base before an index. */
export function headOf(pull_request: number, ordinal: number): CommitSummary {
  return commit(ordinal, pull_request);
}

/** The notes of users on commits. */
export function notesOf(commits: CommitSummary[]): Note[] {
  return commits
    .filter(({ ordinal }) => ordinal === FASTER_AT)
    .map((commit) => ({
      note_id: 1,
      commit: { sha: commit.sha, ordinal: commit.ordinal },
      text: "Expected to be faster: no wake-up while the peer spins.",
      created_by: "account:ben",
      created_at: after(commit, 90),
    }));
}

export function after({ committed_at }: CommitSummary, minutes: number): string {
  return new Date(Date.parse(committed_at) + minutes * 60_000).toISOString();
}

export function noise(...of: number[]): number {
  let hash = 0x811c9dc5;
  for (const value of of) {
    hash = Math.imul(hash ^ value, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
    hash ^= hash >>> 15;
  }
  return (hash >>> 0) / 0xffffffff;
}

/** A factor near 1: at most `spread` away. */
export function wobble(spread: number, ...of: number[]): number {
  return 1 + spread * (noise(...of) + noise(...of, 1) - 1);
}

export function hex(digits: number, ...of: number[]): string {
  return Array.from({ length: digits }, (_, index) =>
    Math.floor(noise(...of, index) * 15.99).toString(16),
  ).join("");
}
