import { expect, test } from "vitest";
import type { ChangePoint, Culprit } from "@/api/types";
import { budgetsOf } from "@/lib/budget";
import { clearest, rangeText } from "@/lib/regressions";
import { aBudgetSeries, aChangePoint, aCommit, aPoint, aRegression } from "@/test/fixtures";
import {
  alertState,
  bisectRequest,
  chatText,
  checksOf,
  currentIn,
  doneText,
  issueOf,
  levelLines,
  mostChangedPart,
  rerunRequest,
  runAt,
  titleOf,
  undoOf,
  wordsOf,
} from "./data";

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

test("a reference series supports or contradicts a change, by its kind", () => {
  const of = (...witnesses: string[]) =>
    checksOf(REGRESSION, aChangePoint({ witnesses })).map(({ name, outcome, text }) => [name, outcome, text]);
  const canary = "canary wake did not follow: +0.1 %";
  expect(of(canary, "canary copy also changed: +9.0 %", "same case on lab-2 also changed: +19 %")).toEqual([
    ["Repeat", "none", "No paired comparison yet"],
    ["Canaries", "warning", "1 of 2 also changed, 1 of 2 unchanged"],
    ["Other machines", "ok", "1 of 1 also changed"],
    ["Confidence", "ok", "> 99.99 %, 4 series on 2 machines"],
  ]);
  expect(of(canary, "control pipe: inconclusive, too few or too noisy results")).toContainEqual([
    "Controls",
    "none",
    "Inconclusive",
  ]);
  expect(of("same case on lab-2 did not follow: +0.2 %")).toContainEqual([
    "Other machines",
    "warning",
    "1 of 1 unchanged",
  ]);
  expect(of("paired comparison of job 7 with the base: +20 %")[0]).toEqual([
    "Repeat",
    "ok",
    "Confirmed in pairs",
  ]);
});

test("a machine on hold and a control are warnings", () => {
  const held = aRegression({ held_because: "its machine is suspect: drift" });
  const witnesses = ["control transport: commits of this repository cannot change it"];
  const warnings = checksOf(held, aChangePoint({ witnesses, confidence: 0.998 })).filter(
    ({ outcome }) => outcome === "warning",
  );
  expect(warnings.map(({ name }) => name)).toEqual(["Transport", "Machine"]);
});

test("names the part of the time that changed the most", () => {
  const [before, after] = [500, 900].flatMap((mean) => {
    const column = { mean: [mean], q1: [mean], q3: [mean] };
    return budgetsOf(aBudgetSeries([31], { sender_user: column, ready: column }));
  });
  if (before === undefined || after === undefined) throw new Error("expected two budgets");
  expect(mostChangedPart(before, after)).toMatchObject({ part: { key: "sender_user" }, change_ns: 400 });
  expect(mostChangedPart(before, before)).toBeNull();
});

test("undo restores the replaced values, and only those", () => {
  const before = aRegression({ state: "new", assignee: "ben", note: "seen" });
  expect(undoOf(before, { state: "fixed", assignee: null })).toEqual({ state: "new", assignee: "ben" });
  expect(doneText({ state: "fixed" }, 1)).toBe("Fixed");
  expect(doneText({ state: "invalid" }, 3)).toBe("Not a regression: 3");
  expect(doneText({ assignee: "ada" }, 1)).toBe("Assigned to ada");
});

test("only a range without a culprit can be bisected", () => {
  const until_commit = { sha: "c".repeat(40), ordinal: 35 };
  const wide = aRegression({ until_commit });
  expect(bisectRequest(REGRESSION)).toBeNull();
  expect(bisectRequest({ ...wide, culprit_commit: until_commit })).toBeNull();
  expect(bisectRequest({ ...wide, kind: "drift" })).toBeNull();
  expect(bisectRequest(wide)).toEqual({
    after: "a".repeat(40),
    until: "c".repeat(40),
    machines: ["lab-1", "lab-2"],
  });
  expect(rerunRequest(wide)).toEqual({
    commits: ["c".repeat(40)],
    base: "a".repeat(40),
    machines: ["lab-1", "lab-2"],
  });
});

test("the text for a chat and an issue has size, commit and address", () => {
  const commit = aCommit({ sha: "b".repeat(40), subject: "Copy twice" });
  const culprits = [{ commit, probability: 0.97, measured: true, names: [] }];
  const detail = { regression: REGRESSION, change_points: [], culprits };
  expect(chatText(detail, "https://x/9")).toBe(
    [
      "libfoo: Slower by up to 20 %, since bbbbbbb \u201cCopy twice\u201d",
      "4 series on 2 machines; cause: commit",
      "https://x/9",
    ].join("\n"),
  );
  const { title, body } = issueOf(detail, "https://x/9");
  expect(title).toContain("Slower by up to 20 %");
  expect(body).toContain(`- ${"b".repeat(40)} Copy twice (97 %)`);
  expect(body).not.toContain("Why");
});

test("levels reach from the first commit to the change and from there to the last", () => {
  const change = aChangePoint({ commit_ordinal: 31, after_commit_ordinal: 30 });
  expect(levelLines(change, [10, 30, 31, 50])).toEqual([
    {
      key: "before",
      points: [
        [10, 4020],
        [30, 4020],
      ],
    },
    {
      key: "after",
      points: [
        [31, 4830],
        [50, 4830],
      ],
    },
  ]);
  expect(levelLines({ ...change, figure: "tail" }, [10, 50])).toEqual([]);
});

test("shows a run without local modifications if there is one", () => {
  const point = (run_id: string, work_tree_modified: boolean) => aPoint({ run_id, work_tree_modified });
  expect(runAt([point("a", false), point("b", true)])).toBe("a");
  expect(runAt([point("a", true), point("b", true)])).toBe("b");
  expect(runAt([])).toBeNull();
});

test("says what a change of triage did", () => {
  expect(
    wordsOf([
      { field: "state", from: "new", to: "acknowledged" },
      { field: "assignee", from: "ada", to: null },
    ]),
  ).toBe("state: acknowledged; assignee removed");
});

test("the inbox keeps the current row when others arrive, and takes the next one when it is gone", () => {
  expect(currentIn({ place: 0, id: undefined }, [7, 8])).toEqual({ place: 0, id: 7 });
  expect(currentIn({ place: 0, id: 7 }, [9, 7, 8])).toEqual({ place: 1, id: 7 });
  expect(currentIn({ place: 1, id: 7 }, [9, 8])).toEqual({ place: 1, id: 8 });
  expect(currentIn({ place: 2, id: 7 }, [9, 8])).toEqual({ place: 1, id: 8 });
  expect(currentIn({ place: 1, id: 7 }, [])).toEqual({ place: 0, id: undefined });
});
