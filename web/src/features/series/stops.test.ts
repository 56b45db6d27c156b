import { describe, expect, it } from "vitest";
import type { LineSeries } from "@/api/types";
import { aChangePoint, aCommit, aLine, aStatedPoint } from "@/test/fixtures";
import {
  changesOf,
  drawingOf,
  environmentChanges,
  heatColumns,
  mediansOf,
  notesAt,
  reachOf,
  readStated,
  relativeCurve,
  relativeStops,
  shareBeyond,
  stopsOfLine,
  wordsAt,
} from "./stops";

const line = (change: Partial<LineSeries> = {}) =>
  aLine({
    point_count: 4,
    commit_ordinals: [7, 1, 0, 3],
    environments: [
      { index: 0, environment_id: 2 },
      { index: 3, environment_id: 3 },
    ],
    latency_ns: { p25: [90, 0, 0, 0], p50: [100, 10, -5, 20], p75: [120, 0, 0, 0] },
    ...change,
  });

describe("stopsOfLine", () => {
  it("has one stop per commit: its newest run", () => {
    const stops = stopsOfLine(line());
    expect(stops.map(({ x, runs, values }) => [x, runs, values.p50])).toEqual([
      [7, 1, 100],
      [8, 2, 105],
      [11, 1, 125],
    ]);
  });
  it("prefers a run with an unmodified work tree", () => {
    const second = (work_tree_modified: number[]) => stopsOfLine(line({ work_tree_modified }))[1];
    expect(second([2])).toMatchObject({ values: { p50: 110 }, isModified: false, runs: 2 });
    expect(second([1])).toMatchObject({ values: { p50: 105 }, isModified: false });
    expect(second([1, 2])).toMatchObject({ values: { p50: 105 }, mark: "modified" });
  });
  it("marks lost messages before a modified work tree", () => {
    const [stop] = stopsOfLine(line({ lossy: [0], work_tree_modified: [0] }));
    expect(stop).toMatchObject({ mark: "lossy", isModified: true, band: [90, 120] });
  });
  it("reads throughput, and stated values with their interval if present", () => {
    expect(stopsOfLine(line({ bytes_per_second: [5, 1, 1, 1] }))[2]?.values.rate).toBe(8);
    const stated = { center: [10, 1, 1, 1], low: [9, null, null, 1], high: [12, null, null, 1] };
    const stops = stopsOfLine(line({ latency_ns: null, stated }));
    expect(stops.map(({ band, values }) => [band, values.center])).toEqual([
      [[9, 12], 10],
      [null, 12],
      [[10, 13], 13],
    ]);
  });
});

it("draws a band for stated points only if they have an interval", () => {
  const stated = aStatedPoint({ center_ns: 7, low_ns: 6, high_ns: 8 });
  expect(readStated(stated)).toMatchObject({ band: [6, 8], values: { center: 7 } });
  expect(readStated({ ...stated, low_ns: null }).band).toBeNull();
});

it("places environment changes half way between two stops", () => {
  expect(environmentChanges(stopsOfLine(line()))).toEqual([{ x: 9.5, before: 2, after: 3 }]);
});

it("draws few points as boxes, and lines only through existing values", () => {
  const look = { stroke: "", ink: "", dash: "", width: 1 };
  const lines = ["p50", "p99"].map((key) => ({ key, label: key, ...look }));
  const drawing = drawingOf(stopsOfLine(line()), lines);
  expect(drawing.boxes.map(({ x }) => x)).toEqual([7, 8, 11]);
  expect(drawing.curves.map(({ points }) => points.length)).toEqual([3, 0]);
});

it("marks change points of drawn lines, those of machines quietly", () => {
  const change = aChangePoint({ commit_ordinal: 8, change: 0.12, cause: "machine" });
  expect(changesOf([change, { ...change, figure: "p99" }], ["p50", "p90"])).toEqual([
    { x: 8, from: 8, mark: "step", label: "p50 +12 %", direction: "regressed", isQuiet: true },
  ]);
});

it("marks changes of the tail on the line of the p99", () => {
  const tail = aChangePoint({ figure: "tail", commit_ordinal: 8, before_level: 1.92, after_level: 3.08 });
  expect(changesOf([tail], ["p50", "p90"])).toEqual([]);
  expect(changesOf([tail], ["p50", "p99"])).toMatchObject([
    { x: 8, from: 8, mark: "tail", label: "p99 is now 3.1 times the p50 (was 1.9)" },
  ]);
});

describe("changes of each kind", () => {
  const drift = aChangePoint({
    kind: "drift",
    change: 0.061,
    after_commit_ordinal: 5,
    commit_ordinal: 9,
    places: [],
  });
  const changes = changesOf(
    [
      aChangePoint({ kind: "known_state", commit_ordinal: 3 }),
      aChangePoint({ matters: false, change: 0.012, commit_ordinal: 7 }),
      drift,
    ],
    ["p50"],
    [aCommit({ ordinal: 5, sha: "a".repeat(40) })],
  );
  it("are all stops of the keyboard, with their words", () => {
    expect(changes.map(({ x, from, mark, label }) => [x, from, mark, label])).toEqual([
      [3, 3, "known_state", "p50 +20 %, known state: the machine had this level before"],
      [7, 7, "small", "p50 +1.2 %, small change, below the threshold"],
      [9, 5, "drift", "p50 drift of +6.1 % since aaaaaaa"],
    ]);
  });
  it("have their words at their commit, and a drift over its range", () => {
    const [, small, words] = changes.map(({ label }) => label);
    expect([5, 6, 7, 9, 10].map((ordinal) => wordsAt(changes, ordinal))).toEqual([
      [],
      [words],
      [small, words],
      [words],
      [],
    ]);
  });
});

const chart = {
  series_id: 1,
  point_count: 2,
  commit_count: 2,
  missing_count: 0,
  steps_per_doubling: 8,
  columns: {
    from_ordinals: [4, 4],
    to_ordinals: [4, 4],
    first_bins: [80, 2],
    lossy: [],
    counts: [
      [3, -2, 1],
      [9_999, -10, 1],
    ],
  },
};

it("extends each column half way to its neighbours, with its own shares", () => {
  const [first, second] = heatColumns(chart);
  expect([first?.from, first?.to, second?.to]).toEqual([3.5, 6, 8.5]);
  expect([...(first?.shares ?? [])]).toEqual([
    [80, 0.75],
    [83, 0.25],
  ]);
});

it("excludes the rarest times from the usual range, and counts them", () => {
  const columns = heatColumns(chart);
  const usual = reachOf(columns, 8, "usual");
  expect(usual[1]).toBeCloseTo(2 ** (85 / 8));
  expect(reachOf(columns, 8, "all")[1]).toBeCloseTo(2 ** (95 / 8));
  expect(shareBeyond(columns, 8, usual)).toBeCloseTo(0.00005);
  expect(shareBeyond(columns, 8, reachOf(columns, 8, "all"))).toBe(0);
});

it("divides each line by its own median, and the band by that of the first line", () => {
  const look = { stroke: "", ink: "", dash: "", width: 1 };
  const lines = ["p50", "p75"].map((key) => ({ key, label: key, ...look }));
  const stops = stopsOfLine(line());
  const relative = relativeStops(stops, mediansOf(stops, lines));
  expect(stops.map(({ values }) => values.p50)).toEqual([100, 105, 125]);
  expect(relative.map(({ values }) => values.p50)).toEqual([100 / 105, 1, 125 / 105]);
  expect(relative.map(({ values }) => values.p75)).toEqual([1, 1, 1]);
  expect(relative[0]?.band).toEqual([90 / 105, 120 / 105]);
  expect(
    relativeCurve({
      ...look,
      key: "other",
      label: "",
      points: [
        [1, 4],
        [2, 8],
      ],
    }).points,
  ).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

it("puts a note at the first measured commit that contains its commit", () => {
  const stops = stopsOfLine(line());
  const note = (ordinal: number) => ({
    note_id: 1,
    commit: { sha: "a".repeat(40), ordinal },
    text: "New kernel.",
    created_by: "account:ada",
    created_at: "2026-11-24T10:00:00Z",
  });
  expect(notesAt([note(9), note(8), note(12)], stops)).toEqual([
    { x: 11, label: "New kernel. (ada)", isNote: true },
    { x: 8, label: "New kernel. (ada)", isNote: true },
  ]);
});
