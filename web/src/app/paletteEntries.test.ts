import { expect, it } from "vitest";
import { EVERYTHING } from "@/lib/query";
import { aCommit, aPoint, aRunSummary, aSeries } from "@/test/fixtures";
import {
  corrected,
  isAboutSeries,
  isMatch,
  placeAfter,
  runsOf,
  seriesDetail,
  withExactTransports,
} from "./paletteEntries";

it("matches if every word begins a word of the text", () => {
  expect(isMatch("Pull requests", ["req"])).toBe(true);
  expect(isMatch("Pull requests", ["requests", "pull"])).toBe(true);
  expect(isMatch("Pull requests", ["quests"])).toBe(false);
  expect(isMatch("lab-linux-1 linux", ["linux", "1"])).toBe(true);
  expect(isMatch("Overview", [])).toBe(true);
});

it("recognises searches for series only", () => {
  expect(isAboutSeries({ ...EVERYTHING, words: ["pipe"], figure: "p99" })).toBe(false);
  expect(isAboutSeries({ ...EVERYTHING, os: ["linux"] })).toBe(true);
  expect(isAboutSeries({ ...EVERYTHING, peers: [2] })).toBe(true);
});

it("takes the name of a transport exactly, because others are of a family with that name", () => {
  const facets = { transport: ["fifo", "pipe"].map((value) => ({ value, series_count: 1 })) };
  const exactly = (words: string[]) => withExactTransports({ ...EVERYTHING, words }, facets);
  expect(exactly(["Pipe", "4k", "cross"])).toMatchObject({ transport: ["pipe"], words: ["4k", "cross"] });
  expect(exactly(["pip"])).toBeNull();
});

it("corrects mistyped words and keeps the others", () => {
  const names = ["pipe", "cross-cpu", "Error rates"];
  expect(corrected({ ...EVERYTHING, words: ["pioe", "cross"] }, names)?.words).toEqual(["pipe", "cross"]);
  expect(corrected({ ...EVERYTHING, words: ["pipe", "kafka"] }, names)).toBeNull();
});

it("returns the newest run of each machine for a commit", () => {
  const commit = aCommit({ sha: "a".repeat(40) });
  const runs = [
    aRunSummary({ run_id: "1", machine: "lab-1", commit }),
    aRunSummary({ run_id: "2", machine: "lab-1", commit }),
    aRunSummary({ run_id: "3", machine: "lab-2", commit }),
    aRunSummary({ run_id: "4", machine: "lab-2", commit: aCommit({ sha: "b".repeat(40) }) }),
  ];
  expect(runsOf([commit], runs).map(({ run_id }) => run_id)).toEqual(["1", "3"]);
});

it("shows the requested figure of a series", () => {
  const latest = aPoint();
  const p99 = { ...latest, latency_ns: { ...latest.latency_ns, p99: 8400 } };
  expect(seriesDetail(aSeries({ machine: "lab-1", latest: p99 }), "p99")).toBe("lab-1, p99 8.40 µs");
});

it("wraps at the ends of the list", () => {
  expect([placeAfter(0, -1, 3), placeAfter(2, 1, 3), placeAfter(0, 1, 0)]).toEqual([2, 0, 0]);
});
