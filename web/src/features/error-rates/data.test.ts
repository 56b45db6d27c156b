import { describe, expect, it } from "vitest";
import type { CountedShare, ErrorRateList, HistoryErrorRates } from "@/api/types";
import { comparisonsOf, foundShare, headlineOf, onceIn, percent, rarity, thresholdText } from "./data";

const none: CountedShare = { count: 0, of_count: 0, share: null, interval: null };

function share(count: number, of_count: number, interval: [number, number]): CountedShare {
  return { count, of_count, share: count / of_count, interval };
}

function history(false_alarms: CountedShare, found: CountedShare, delay: number | null): HistoryErrorRates {
  return {
    threshold: [0.01, 0.03],
    false_alarms,
    steps: [{ change: 0.05, found, median_delay_points: delay }],
  };
}

function rates(p50: HistoryErrorRates, p99: HistoryErrorRates, comparisons = none): ErrorRateList {
  return {
    computed_at: "2026-11-24T10:00:00Z",
    total: {
      p50,
      p99,
      tail: history(none, none, null),
      false_comparisons: comparisons,
      comparisons: { false_verdicts: none, changes: [], untested_count: 0 },
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
  it("gives the false-alarm rates, and how soon a step is found", () => {
    const p50 = history(share(0, 30_000, [0, 0.000_123]), found, 6);
    const p99 = history(share(3, 30_000, [0.000_02, 0.000_3]), found, 9);
    expect(headlineOf(rates(p50, p99))).toBe(
      "False alarms: p50 below 1 in 8,100 points, p99 about 1 in 10,000. A 5 % step in p50 is found in 98 % of cases, after 6 points (median).",
    );
  });
  it("reports missing data", () => {
    const nothing = history(none, none, null);
    expect(headlineOf(rates(nothing, nothing))).toBe("Error rates: not enough data yet");
  });
  it("leaves out p99 without data, and the delay if no step is found", () => {
    const all = rates(
      history(share(1, 100, [0, 0.05]), share(0, 10, [0, 0.31]), null),
      history(none, none, null),
    );
    expect(headlineOf(all)).toBe(
      "False alarms: p50 about 1 in 100 points. A 5 % step in p50 is found in 0 % of cases.",
    );
  });
});

it("states the threshold: limits, or that of the project", () => {
  expect(thresholdText({ threshold: [0.01, 0.03] })).toBe(
    "Threshold: two standard deviations of the noise, between 1 and 3 %.",
  );
  expect(thresholdText({ threshold: [0.07, 0.07] })).toBe("Threshold: 7 %.");
});

describe("comparisonsOf", () => {
  const p50 = history(none, none, null);
  it("counts false positives", () => {
    const text = (count: number) => comparisonsOf(rates(p50, p50, share(count, 200, [0, 0.02])));
    expect(text(0)).toBe("False positives: 0 of 200 A/A comparisons.");
    expect(text(2)).toBe("False positives: 2 of 200 A/A comparisons.");
  });
  it("gives the reason if there are none", () => {
    expect(comparisonsOf(rates(p50, p50))).toContain("12 repetitions");
  });
});

describe("texts of cells", () => {
  it("give a rate to two digits", () => {
    expect(onceIn(1 / 12_345)).toBe("1 in 12,000");
    expect(rarity(share(2, 24_000, [0.000_01, 0.000_3]))).toEqual({
      text: "1 in 12,000",
      interval: "1 in 3,300 to 100,000",
    });
    expect(rarity(share(0, 30_000, [0, 0.000_123]))).toEqual({
      text: "none in 30,000",
      interval: "below 1 in 8,100",
    });
  });
  it("distinguish nearly all from all, and nearly none from none", () => {
    expect([1, 0.9996, 0.998, 0.98, 0.051, 0.0004, 0].map(percent)).toEqual([
      "100",
      "> 99.9",
      "99.8",
      "98",
      "5.1",
      "< 0.1",
      "0",
    ]);
    expect(foundShare(share(100, 100, [0.963, 1]))).toEqual({ text: "100 %", interval: "96 to 100" });
  });
  it("are null without data", () => {
    expect([rarity(none), foundShare(none)]).toEqual([null, null]);
  });
});
