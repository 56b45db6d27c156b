import { expect, it } from "vitest";
import { aCommit, aRunSummary } from "@/test/fixtures";
import { newestTwo, revisionOf } from "./data";

it("recognises commit hashes and run ids", () => {
  expect(revisionOf(" 68EE74F ")).toEqual({ kind: "commit", name: "68ee74f", isWhole: false });
  expect(revisionOf("a".repeat(40))).toMatchObject({ kind: "commit", isWhole: true });
  const runId = "019aa8f0-5c1e-7b3a-9f00-000000000001";
  expect(revisionOf(runId)).toEqual({ kind: "run", runId });
  expect(["68ee74", "main", ""].map((text) => revisionOf(text).kind)).toEqual(["none", "none", "none"]);
});

it("suggests the newest two commits of the main line", () => {
  const run = (ordinal: number, pull_request: number | null = null) =>
    aRunSummary({ commit: aCommit({ sha: String(ordinal).repeat(40), ordinal }), pull_request });
  const newest = newestTwo([run(3), run(5), run(5), run(9, 42), run(4)]);
  expect(newest?.base.ordinal).toBe(4);
  expect(newest?.head.ordinal).toBe(5);
  expect(newestTwo([run(5), run(5), run(4, 42)])).toBeNull();
});
