import { expect, test } from "vitest";
import type { ChangePoint, Culprit } from "@/api/types";
import { clearest, rangeText } from "@/lib/regressions";
import { aRegression } from "@/test/fixtures";
import { alertState, titleOf } from "./data";

const REGRESSION = aRegression();

test("shows one commit, or a range", () => {
  expect(rangeText(REGRESSION.after_commit, REGRESSION.until_commit)).toBe("bbbbbbb");
  expect(rangeText(REGRESSION.after_commit, { ...REGRESSION.until_commit, ordinal: 35 })).toBe(
    "aaaaaaa..bbbbbbb (5 commits)",
  );
});

test("names a likely culprit, a range, or the machine", () => {
  const commit = { sha: "b".repeat(40), ordinal: 31, subject: "Copy twice", author: "Ada", committed_at: "" };
  const sure: Culprit = { commit, probability: 0.97, measured: true, names: [] };
  expect(titleOf(REGRESSION, [sure])).toBe("Slower by up to 20 %, since bbbbbbb \u201cCopy twice\u201d");
  expect(titleOf(REGRESSION, [{ ...sure, probability: 0.5 }, sure])).toContain("since one of 2 commits");
  expect(titleOf({ ...REGRESSION, cause: "machine" }, [])).toContain("caused by the machine");
});

test("says worse instead of slower if a series is no time", () => {
  const throughput = aRegression({ is_time: false, worst_change: -0.2 });
  expect(titleOf(throughput, [])).toBe("Worse by up to 20 %, commit unknown");
});

test("names the range of a drift instead of a commit", () => {
  const drift = aRegression({ kind: "drift", worst_change: 0.061 });
  expect(titleOf(drift, [])).toBe("Drift of +6.1 % since aaaaaaa");
  expect(titleOf({ ...drift, cause: "machine" }, [])).toBe(
    "Drift of +6.1 % since aaaaaaa, caused by the machine",
  );
  const fixed_by_commit = { sha: "c".repeat(40), ordinal: 40 };
  expect(titleOf({ ...drift, state: "fixed", fixed_by_commit }, [])).toContain("aaaaaaa, until ccccccc");
});

test("an expired mute does not stop alerts", () => {
  const now = new Date("2026-11-24T12:00:00Z");
  expect(alertState({ ...REGRESSION, muted_until: "2026-11-24T13:00:00Z" }, now)).toBe("muted");
  expect(alertState({ ...REGRESSION, muted_until: "2026-11-24T11:00:00Z" }, now)).toBeNull();
  expect(alertState({ ...REGRESSION, held_because: "its machine is suspect" }, now)).toBe("held");
});

test("keeps one change per series, p50 first, sorted by size", () => {
  const change = (series_id: number, figure: string, share: number) =>
    ({ series_id, figure, change: share, direction: "regressed" }) as ChangePoint;
  const clear = clearest([change(1, "p99", 0.5), change(1, "p50", 0.1), change(2, "p99", 0.3)], "regressed");
  expect(clear.map(({ series_id, figure }) => [series_id, figure])).toEqual([
    [2, "p99"],
    [1, "p50"],
  ]);
});
