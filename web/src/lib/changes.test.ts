import { expect, it } from "vitest";
import { aChangePoint, aCommit } from "@/test/fixtures";
import {
  byImportance,
  changeText,
  legendsOf,
  levelsText,
  lineOf,
  MARKS,
  markOf,
  pointWords,
} from "./changes";

const DRIFT = aChangePoint({ kind: "drift", change: 0.061, after_commit_ordinal: 30, commit_ordinal: 46 });
const KNOWN = aChangePoint({ kind: "known_state", change: -0.23 });
const SMALL = aChangePoint({ matters: false, change: 0.012 });
const TAIL = aChangePoint({ figure: "tail", before_level: 1.92, after_level: 3.08, change: 0.6 });

it("rounds a change to two digits", () => {
  expect([0.2, 0.052, -0.031, 0.0999].map(changeText)).toEqual(["+20 %", "+5.2 %", "\u22123.1 %", "+10 %"]);
});

it("has words for each kind", () => {
  expect([aChangePoint(), DRIFT, KNOWN, SMALL].map((change) => pointWords(change))).toEqual([
    "p50 +20 %",
    "p50 drift of +6.1 % since #30",
    "p50 \u221223 %, known state: the machine had this level before",
    "p50 +1.2 %, small change, below the threshold",
  ]);
});

it("has words for the tail, which are ratios", () => {
  const small = { ...TAIL, matters: false, after_level: 1.94 };
  const drift = { ...TAIL, kind: "drift" as const };
  const known = { ...TAIL, kind: "known_state" as const };
  expect([TAIL, small, drift, known].map((change) => pointWords(change))).toEqual([
    "p99 is now 3.1 times the p50 (was 1.9)",
    "p99 is now 1.94 times the p50 (was 1.92), small change, below the threshold",
    "p99 is now 3.1 times the p50 (was 1.9), drift since #30",
    "p99 is now 3.1 times the p50 (was 1.9), known state: the machine had this level before",
  ]);
  expect([TAIL, aChangePoint()].map((change) => levelsText(change, {}))).toEqual([
    "1.9 to 3.1",
    "4.02 µs to 4.83 µs",
  ]);
});

it("marks changes of the tail in one way, on the line of the p99", () => {
  const known = { ...TAIL, kind: "known_state" as const };
  expect([TAIL, known, { ...TAIL, matters: false }].map(markOf)).toEqual(["tail", "tail", "small"]);
  expect(["tail", "p99", "p50"].map(lineOf)).toEqual(["p99", "p99", "p50"]);
});

it("names the commit before a drift once it is loaded", () => {
  const commits = [aCommit({ ordinal: 46 }), aCommit({ ordinal: 30, sha: "a".repeat(40) })];
  expect(pointWords(DRIFT, commits)).toBe("p50 drift of +6.1 % since aaaaaaa");
});

it("marks changes below the threshold as small, except known states", () => {
  expect([aChangePoint(), DRIFT, KNOWN, SMALL].map(markOf)).toEqual([
    "step",
    "drift",
    "known_state",
    "small",
  ]);
  expect(markOf({ ...DRIFT, matters: false })).toBe("small");
  expect(markOf({ ...KNOWN, matters: false })).toBe("known_state");
});

it("explains only marks that are present, each in a different way", () => {
  const all = MARKS.map((mark) => ({ mark }));
  expect(new Set(legendsOf(all)).size).toBe(5);
  expect(legendsOf([{ mark: "small" }, { mark: "small" }])).toEqual([
    "open triangle: small change, below the threshold",
  ]);
});

it("draws the most important mark last", () => {
  const marks = MARKS.map((mark) => ({ mark })).sort(byImportance);
  expect(marks.map(({ mark }) => mark)).toEqual(["small", "tail", "known_state", "drift", "step"]);
});
