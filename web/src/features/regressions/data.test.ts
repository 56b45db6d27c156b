import { expect, test } from "vitest";
import type { ChangePoint, Culprit } from "@/api/types";
import { clearest, rangeText } from "@/lib/regressions";
import { aRegression } from "@/test/fixtures";
import { quietText, titleOf } from "./data";

const REGRESSION = aRegression();

test("one commit is named, several as a range", () => {
  expect(rangeText(REGRESSION.after_commit, REGRESSION.until_commit)).toBe("bbbbbbb");
  expect(rangeText(REGRESSION.after_commit, { ...REGRESSION.until_commit, ordinal: 35 })).toBe(
    "after aaaaaaa, up to bbbbbbb (5 commits)",
  );
});

test("a culprit is named when it is sure, and a machine is none", () => {
  const commit = { sha: "b".repeat(40), ordinal: 31, subject: "Copy twice", author: "Ada", committed_at: "" };
  const sure: Culprit = { commit, probability: 0.97, measured: true };
  expect(titleOf(REGRESSION, [sure])).toBe("Slower by up to 20 %, since bbbbbbb, \u201cCopy twice\u201d");
  expect(titleOf(REGRESSION, [{ ...sure, probability: 0.5 }, sure])).toContain("since one of 2 commits");
  expect(titleOf({ ...REGRESSION, cause: "machine" }, [])).toContain("the machine did it, not a commit");
});

test("a mute that is over keeps nobody from being told", () => {
  const now = new Date("2026-11-24T12:00:00Z");
  expect(quietText({ ...REGRESSION, muted_until: "2026-11-24T13:00:00Z" }, now)).toBe("muted");
  expect(quietText({ ...REGRESSION, muted_until: "2026-11-24T11:00:00Z" }, now)).toBeNull();
  expect(quietText({ ...REGRESSION, held_because: "its machine is suspect" }, now)).toBe("held");
});

test("each series stands once, by its p50, the largest first", () => {
  const change = (series_id: number, figure: string, share: number) =>
    ({ series_id, figure, change: share, direction: "regressed" }) as ChangePoint;
  const told = clearest([change(1, "p99", 0.5), change(1, "p50", 0.1), change(2, "p99", 0.3)], "regressed");
  expect(told.map(({ series_id, figure }) => [series_id, figure])).toEqual([
    [2, "p99"],
    [1, "p50"],
  ]);
});
