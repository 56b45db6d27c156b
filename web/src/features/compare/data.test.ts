import { expect, it } from "vitest";
import type { RunSummary } from "@/api/types";
import { aCommit, aRunSummary } from "@/test/fixtures";
import { newestTwo, revisionOf } from "./data";

it("recognises commit hashes and run ids", () => {
  expect(revisionOf(" 68EE74F ")).toEqual({ kind: "commit", name: "68ee74f", isWhole: false });
  expect(revisionOf("a".repeat(40))).toMatchObject({ kind: "commit", isWhole: true });
  const runId = "019aa8f0-5c1e-7b3a-9f00-000000000001";
  expect(revisionOf(runId)).toEqual({ kind: "run", runId });
  expect(["68ee74", "main", ""].map((text) => revisionOf(text).kind)).toEqual(["none", "none", "none"]);
});

const run = (ordinal: number, change: Partial<RunSummary> = {}) =>
  aRunSummary({ commit: aCommit({ sha: String(ordinal).repeat(40), ordinal }), ...change });
const OTHERS = [
  run(9, { pull_request: 42 }),
  run(8, { branch: "topic" }),
  run(7, { quarantined: true }),
  run(6, { superseded: true }),
];

it("finds the newest two commits of the default branch", () => {
  const newest = newestTwo([run(3), run(5, { branch: "main" }), run(5), ...OTHERS, run(4)], "main");
  expect(newest?.base.ordinal).toBe(4);
  expect(newest?.head.ordinal).toBe(5);
  expect(newestTwo([run(5), run(5), ...OTHERS], "main")).toBeNull();
});

it("uses all branches if the default branch is unknown", () => {
  expect(newestTwo([run(5), run(8, { branch: "topic" })], null)?.head.ordinal).toBe(8);
});

it("prefers a base on the same machine", () => {
  const runs = [run(5), run(4, { machine: "other" }), run(3)];
  expect(newestTwo(runs, "main")?.base.ordinal).toBe(3);
  expect(newestTwo(runs.slice(0, 2), "main")?.base.ordinal).toBe(4);
});
