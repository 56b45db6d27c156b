import { expect, it } from "vitest";
import type { CommitDetail } from "@/api/types";
import { aComparison, aPair } from "@/test/comparisons";
import { aCommit, aRegression, aRunSummary } from "@/test/fixtures";
import { onlyPullRequest, pullRequestsOf, roleIn, titleOf } from "./data";

const commit = aCommit({ sha: "b".repeat(40) });

function aDetail(change: Partial<CommitDetail> = {}): CommitDetail {
  const runs = [aRunSummary({ commit }), aRunSummary({ commit, machine: "lab-2" })];
  return {
    commit,
    ordinal_is_estimate: false,
    parents: [],
    previous: aCommit({ sha: "a".repeat(40) }),
    next: null,
    run_count: runs.length,
    runs,
    ...change,
  };
}

it("has the verdict as its title, or the reason for none", () => {
  const slower = aPair({ verdict: "regressed", change: 0.154, change_interval: [0.121, 0.189] });
  expect(titleOf(aDetail(), aComparison([slower]))).toMatch(/got 15\.4 % slower/);
  expect(titleOf(aDetail(), undefined)).toBe("Measured on 2 machines");
  expect(titleOf(aDetail({ previous: null }), undefined)).toBe(
    "Measured on 2 machines; no earlier commit to compare with",
  );
  expect(titleOf(aDetail({ run_count: 0, runs: [] }), undefined)).toBe("Not measured");
});

it("is of a pull request if no run is of the main line", () => {
  const run = (pull_request: number | null) => aRunSummary({ pull_request });
  expect(pullRequestsOf([run(42), run(null), run(42), run(7)])).toEqual([42, 7]);
  expect(onlyPullRequest([run(42), run(42)])).toBe(42);
  expect(onlyPullRequest([run(42), run(null)])).toBeNull();
  expect(onlyPullRequest([run(42), run(7)])).toBeNull();
});

it("begins or ends a regression, if no other commit can", () => {
  const before = { sha: "a".repeat(40), ordinal: 2 };
  const at = { sha: commit.sha, ordinal: 3 };
  expect(roleIn(aRegression({ fixed_by_commit: at }), commit.sha)).toBe("ends here");
  expect(roleIn(aRegression({ after_commit: before, until_commit: at }), commit.sha)).toBe("begins here");
  expect(
    roleIn(aRegression({ after_commit: before, until_commit: at, direction: "improved" }), commit.sha),
  ).toBe("improves here");
  const range = { after_commit: { sha: "a".repeat(40), ordinal: 1 }, until_commit: at };
  expect(roleIn(aRegression(range), commit.sha)).toBe("first seen here");
  expect(roleIn(aRegression({ ...range, culprit_commit: at }), commit.sha)).toBe("begins here");
  expect(roleIn(aRegression({ ...range, kind: "drift" }), commit.sha)).toBe("drifts until here");
});
