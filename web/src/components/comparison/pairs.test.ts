import { describe, expect, it } from "vitest";
import { aPair, aSide } from "@/test/comparisons";
import { byKind, KINDS, kindOf, matching, remarksOf } from "./pairs";
import { intervalText, signedText, sizesText, sizeText } from "./shares";

describe("what is said of a pair", () => {
  it("is by its p50, unless only something else changed", () => {
    const tail = {
      change: 0.3,
      change_interval: [0.2, 0.4],
      p_adjusted: 0.001,
      verdict: "regressed" as const,
    };
    expect(kindOf(aPair({ verdict: "improved", change: -0.2, p99: tail }))).toBe("faster");
    expect(kindOf(aPair({ p99: tail }))).toBe("elsewhere");
    expect(kindOf(aPair({ verdict: "inconclusive", p90: { ...tail, verdict: null } }))).toBe("inconclusive");
    expect(kindOf(aPair({ verdict: "not comparable" }))).toBeNull();
  });

  it("puts the largest first, and leaves what did not change in its order", () => {
    const pair = (verdict: "regressed" | "no change", change: number) => aPair({ verdict, change });
    const kinds = byKind([
      pair("no change", 0.001),
      pair("regressed", 0.02),
      pair("no change", 0.02),
      pair("regressed", 0.3),
    ]);
    expect(KINDS.map((kind) => kinds[kind].map(({ change }) => change))).toEqual([
      [0.3, 0.02],
      [],
      [],
      [],
      [0.001, 0.02],
    ]);
  });

  it("has remarks beside the p50, without repeating the interval", () => {
    const undecided =
      "too noisy: the interval -3.9 % to +1.3 % reaches beyond what matters, 3 %; about 11 more repetitions a side would decide";
    const pair = aPair({
      undecided,
      p90: { change: 0.05, change_interval: null, p_adjusted: 0.001, verdict: "regressed" },
      shape: { p_adjusted: 0.001, changed: true, difference: "p95 +30 %" },
      head: aSide({ work_tree_modified: true }),
    });
    expect(remarksOf(pair)).toEqual([
      "p90 +5.0 %",
      "another shape: p95 +30 %",
      "too noisy; about 11 more repetitions a side would decide",
      "head of a modified work tree",
    ]);
  });
});

it("is found by all words of transport, case and machine", () => {
  const pairs = [aPair(), aPair({ transport: "tcp", case: { placement: "cross-cpu" } })];
  expect(matching(pairs, "TCP across lab-1")).toEqual([pairs[1]]);
  expect(matching(pairs, "tcp same")).toEqual([]);
  expect(matching(pairs, " ")).toEqual(pairs);
});

it("writes changes with the digits that tell them apart", () => {
  expect([0.154, 0.0004, 0, 1.234].map(sizeText)).toEqual(["15.4 %", "0.04 %", "0.0 %", "123 %"]);
  expect(signedText(-0.068)).toBe("\u22126.8 %");
  expect(intervalText([-0.021, 0.03])).toBe("\u22122.1 to 3.0");
  expect(sizesText([-0.074, -0.063])).toBe("6.3 to 7.4");
});
