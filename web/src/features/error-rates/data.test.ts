import { describe, expect, it } from "vitest";
import type { CountedShare, ErrorRateList, HistoryErrorRates } from "@/api/types";
import { comparisonsOf, foundShare, headlineOf, onceIn, percent, rarity } from "./data";

const none: CountedShare = { count: 0, of_count: 0, share: null, interval: null };

function share(count: number, of_count: number, interval: [number, number]): CountedShare {
  return { count, of_count, share: count / of_count, interval };
}

function history(false_alarms: CountedShare, found: CountedShare, delay: number | null): HistoryErrorRates {
  return { false_alarms, steps: [{ change: 0.05, found, median_delay_points: delay }] };
}

function rates(p50: HistoryErrorRates, p99: HistoryErrorRates, comparisons = none): ErrorRateList {
  return {
    computed_at: "2026-11-24T10:00:00Z",
    total: {
      p50,
      p99,
      false_comparisons: comparisons,
      comparisons: { false_verdicts: none, changes: [], untold_count: 0 },
    },
    machines: ["lab-1", "lab-2"].map((machine) => ({
      machine,
      computed_at: "2026-11-24T10:00:00Z",
      false_comparisons: none,
      classes: [],
    })),
  };
}

const found = share(98, 100, [0.93, 0.998]);

describe("headlineOf", () => {
  it("tells how rarely a change is told by mistake, and what is found how soon", () => {
    const p50 = history(share(0, 30_000, [0, 0.000_123]), found, 6);
    const p99 = history(share(3, 30_000, [0.000_02, 0.000_3]), found, 9);
    expect(headlineOf(rates(p50, p99))).toBe(
      "On these machines a change of p50 is told by mistake less than once in 8,100 points, one of p99 about once in 10,000 points; a step of 5 % of p50 is found in 98 of 100 cases, after a median of 6 points.",
    );
  });
  it("does not say what nothing tells", () => {
    const nothing = history(none, none, null);
    expect(headlineOf(rates(nothing, nothing))).toBe(
      "On these machines no series has enough points yet to say how often a change is told by mistake.",
    );
  });
  it("names the only machine", () => {
    const all = rates(
      history(share(1, 100, [0, 0.05]), share(0, 10, [0, 0.31]), null),
      history(none, none, null),
    );
    const one = { ...all, machines: all.machines.slice(0, 1) };
    expect(headlineOf(one)).toBe(
      "On lab-1 a change of p50 is told by mistake about once in 100 points; a step of 5 % of p50 is found in 0 of 100 cases.",
    );
  });
});

describe("comparisonsOf", () => {
  const p50 = history(none, none, null);
  it("counts those that found what is not there", () => {
    const told = (count: number) => comparisonsOf(rates(p50, p50, share(count, 200, [0, 0.02])));
    expect(told(0)).toBe(
      "Of 200 comparisons of a commit with itself, none found a change that is not there.",
    );
    expect(told(2)).toBe("Of 200 comparisons of a commit with itself, 2 found a change that is not there.");
  });
  it("says what is missing where there was none", () => {
    expect(comparisonsOf(rates(p50, p50))).toContain("twelve repetitions");
  });
});

describe("texts of cells", () => {
  it("say how rare something is, to two digits", () => {
    expect(onceIn(1 / 12_345)).toBe("1 in 12,000");
    expect(rarity(share(2, 24_000, [0.000_01, 0.000_3]))).toEqual({
      text: "1 in 12,000",
      sureness: "1 in 3,300 to 100,000",
    });
    expect(rarity(share(0, 30_000, [0, 0.000_123]))).toEqual({
      text: "none in 30,000",
      sureness: "rarer than 1 in 8,100",
    });
  });
  it("tell nearly all from all, and hardly any from none", () => {
    expect([1, 0.9996, 0.998, 0.98, 0.051, 0.0004, 0].map(percent)).toEqual([
      "100",
      "> 99.9",
      "99.8",
      "98",
      "5.1",
      "< 0.1",
      "0",
    ]);
    expect(foundShare(share(100, 100, [0.963, 1]))).toEqual({ text: "100 %", sureness: "96 to 100" });
  });
  it("are none where nothing was counted", () => {
    expect([rarity(none), foundShare(none)]).toEqual([null, null]);
  });
});
