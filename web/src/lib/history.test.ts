import { expect, it } from "vitest";
import { aChangePoint, aLine } from "@/test/fixtures";
import { drawnPlaces, historyOf, marksOf } from "./history";

const line = aLine({
  commit_ordinals: [10, 0, 2],
  latency_ns: { p50: [100, 5, 10], p99: [900, 0, 1] },
});

it("keeps the newest run of each commit", () => {
  expect(historyOf(line)).toEqual({ ordinals: [10, 12], values: [105, 115] });
  expect(historyOf(line, "p99").values).toEqual([900, 901]);
});

it("uses stated values without samples", () => {
  const stated = { center: [4000, 50, 0], low: [], high: [] };
  expect(historyOf(aLine({ commit_ordinals: [1, 1, 1], stated })).values).toEqual([4000, 4050, 4050]);
});

it("places changes of its figure, earlier ones before the beginning", () => {
  const changes = [
    aChangePoint({ commit_ordinal: 11 }),
    aChangePoint({ commit_ordinal: 3, direction: "improved" }),
    aChangePoint({ commit_ordinal: 12, figure: "p99" }),
    aChangePoint({ commit_ordinal: 99 }),
  ];
  expect(marksOf(changes, historyOf(line).ordinals)).toEqual([
    { place: 1, from: 1, mark: "step", direction: "regressed", text: "#11: p50 +20 %" },
    { place: "before", from: 0, mark: "step", direction: "improved", text: "#3: p50 +20 %" },
  ]);
});

it("places a drift from its beginning, and changes without an alert below it", () => {
  const changes = [
    aChangePoint({ kind: "drift", change: 0.061, after_commit_ordinal: 3, commit_ordinal: 12 }),
    aChangePoint({ kind: "known_state", commit_ordinal: 12 }),
    aChangePoint({ matters: false, commit_ordinal: 12, change: 0.01 }),
    aChangePoint({ matters: false, commit_ordinal: 12, change: 0.02, figure: "p99" }),
  ];
  expect(marksOf(changes, [10, 11, 12], ["p50", "p99"])).toMatchObject([
    {
      mark: "small",
      text: "#12: p50 +1.0 %, small change, below the threshold; #12: p99 +2.0 %, small change, below the threshold",
    },
    { mark: "known_state", place: 2, from: 2 },
    { mark: "drift", place: 2, from: 0, text: "#12: p50 drift of +6.1 % since #3" },
  ]);
});

it("prefers the newest run with an unmodified work tree", () => {
  const commit_ordinals = [10, 0, 0, 1, 0];
  const drawn = drawnPlaces(aLine({ commit_ordinals, work_tree_modified: [2, 3, 4] }));
  expect(drawn).toEqual([
    { place: 1, ordinal: 10, runs: 3 },
    { place: 4, ordinal: 11, runs: 2 },
  ]);
});
