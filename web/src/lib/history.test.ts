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

it("places relevant changes, earlier ones at the beginning", () => {
  const changes = [
    aChangePoint({ commit_ordinal: 11 }),
    aChangePoint({ commit_ordinal: 3, direction: "improved" }),
    aChangePoint({ commit_ordinal: 12, matters: false }),
    aChangePoint({ commit_ordinal: 12, figure: "p99" }),
    aChangePoint({ commit_ordinal: 99 }),
  ];
  expect(marksOf(changes, historyOf(line))).toEqual([
    { place: 1, direction: "regressed" },
    { place: "before", direction: "improved" },
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
