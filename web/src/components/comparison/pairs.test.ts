import { describe, expect, it } from "vitest";
import { aComparison, aPair, aSide, countsOf } from "@/test/comparisons";
import {
  byKind,
  groupsOf,
  intervalText,
  lossOf,
  remarksOf,
  sharedRemarks,
  signedText,
  sizesText,
  sizeText,
  totalsOf,
} from "./pairs";
import { KINDS } from "./search";

describe("pairs", () => {
  it("are grouped by kind, in the server's order", () => {
    const pair = (verdict: "regressed" | "no change", change: number) => aPair({ verdict, change });
    const kinds = byKind([pair("regressed", 0.3), pair("regressed", 0.02), pair("no change", 0.001)]);
    expect(KINDS.map((kind) => kinds[kind].map(({ change }) => change))).toEqual([
      [0.3, 0.02],
      [],
      [],
      [],
      [0.001],
    ]);
  });

  it("have remarks without the interval", () => {
    const undecided =
      "too noisy to detect 3 %: interval -3.9 % to +1.3 %; needs about 11 more repetitions per side";
    const pair = aPair({
      verdict: "inconclusive",
      undecided,
      p90: { change: 0.05, change_interval: null, p_adjusted: 0.001, verdict: "regressed" },
      shape: { p_adjusted: 0.001, changed: true, difference: "p95 +30 %" },
      head: aSide({ work_tree_modified: true }),
    });
    expect(remarksOf(pair)).toEqual([
      "p90 +5.0 %",
      "shape changed: p95 +30 %",
      "too noisy to detect 3 %; needs about 11 more repetitions per side",
      "head: modified or unbuilt",
    ]);
  });
});

it("state how small a change an unchanged pair would have shown", () => {
  expect(remarksOf(aPair())).toEqual(["detects ≥ 2.4 % (90 % power)"]);
  expect(remarksOf(aPair({ detectable_change: null }))).toEqual(["too few repetitions to detect changes"]);
});

it("finds the remark that all pairs of a kind have", () => {
  const noisy = aPair({ verdict: "inconclusive", undecided: "too noisy" });
  const few = aPair({ verdict: "inconclusive", undecided: "too few repetitions" });
  expect([...sharedRemarks([noisy, noisy]).values()]).toEqual(["too noisy"]);
  expect(sharedRemarks([noisy, few]).size).toBe(0);
  // A single row keeps its remark.
  expect(sharedRemarks([noisy]).size).toBe(0);
});

it("counts pairs with and without incomparable ones", () => {
  const left = aPair({ verdict: "not comparable", change: null });
  expect(totalsOf(countsOf([aPair(), aPair({ verdict: "regressed" }), left]))).toEqual({
    compared: 2,
    all: 3,
  });
});

it("formats changes with enough digits", () => {
  expect([0.154, 0.0004, 0, 1.234].map(sizeText)).toEqual(["15.4 %", "0.04 %", "0.0 %", "123 %"]);
  expect(signedText(-0.068)).toBe("\u22126.8 %");
  expect(intervalText([-0.021, 0.03])).toBe("\u22122.1 to 3.0");
  expect(sizesText([-0.074, -0.063])).toBe("6.3 to 7.4");
});

type Difference = { what: string; base: string; head: string };

const not = (differences: Difference[], reasons: string[] = []) =>
  aPair({ verdict: "not comparable", change: null, differences, reasons });

const KERNEL = { what: "environment.os.kernel", base: "6.12.4", head: "6.12.9" };
const RECEIVE = { what: "receive", base: "block", head: "absent" };

it("groups pairs by reason, the most frequent first", () => {
  const { not_compared, pairs } = aComparison([
    not([RECEIVE]),
    not([KERNEL]),
    aPair(),
    not([KERNEL]),
    not([KERNEL, RECEIVE]),
    not([{ what: "environment.memory.total_gib", base: "8", head: "16" }]),
    not([], ["not in the head"]),
  ]);
  const groups = groupsOf({ not_compared, pairs: pairs.slice(0, 5) });
  expect(groups.map(({ title, count }) => [count, title])).toEqual([
    [2, "kernel: 6.12.4 vs 6.12.9"],
    [1, "not measured in the head"],
    [1, "memory total gib: 8 vs 16"],
    [1, "kernel: 6.12.4 vs 6.12.9; receive: blocks vs unknown"],
    [1, "receive: blocks vs unknown"],
  ]);
  // Pairs that are not loaded are only counted.
  expect(groups.map((group) => group.pairs.length)).toEqual([2, 0, 0, 1, 1]);
});

it("groups losses regardless of their size", () => {
  const lost = (head: string) => not([{ what: "delivered", base: "all 4000", head }]);
  const pairs = [lost("3997 of 4000 (99.9250 %)"), lost("12 of 4000 (0.3000 %)")];
  const groups = groupsOf(aComparison(pairs));
  expect(groups.map(({ title, count }) => [count, title])).toEqual([[2, "lost or altered messages"]]);
  expect(groups[0]?.pairs).toHaveLength(2);
  expect(lossOf(lost("3997 of 4000"))).toBe("delivered all 4000 vs 3997 of 4000");
});
