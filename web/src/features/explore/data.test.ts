import { expect, it } from "vitest";
import type { ChangePoint, LineSeries } from "@/api/types";
import { aChangePoint, aLine, aPoint, aSeries } from "@/test/fixtures";
import { gridTable, headlineOf, newestOf, ordinalsOf, sparkOf, sparkText, variedTraits } from "./data";
import { pickedOf } from "./search";

const line = (change: Partial<LineSeries> = {}) =>
  aLine({
    point_count: 3,
    commit_ordinals: [10, 1, 2],
    environments: [{ index: 0, environment_id: 1 }],
    latency_ns: { p99: [1000, 10, -20] },
    ...change,
  });
const aChange = (change: Partial<ChangePoint>) =>
  aChangePoint({ figure: "p99", commit_ordinal: 11, change: 0.12, ...change });

const ORDINALS = [10, 11, 12, 13];

it("uses the newest commits of all lines", () => {
  expect(ordinalsOf([line(), line({ commit_ordinals: [12, 2] })])).toEqual([10, 11, 12, 13, 14]);
  const long = line({ commit_ordinals: Array.from({ length: 100 }, () => 1) });
  expect(ordinalsOf([long])).toHaveLength(60);
  expect(ordinalsOf([long]).at(-1)).toBe(100);
});

it("places values at their commits", () => {
  expect(sparkOf(line(), [], ORDINALS, "p99")?.values).toEqual([1000, 1010, null, 990]);
});

it("breaks lines where the environment changed", () => {
  const environments = [
    { index: 0, environment_id: 1 },
    { index: 2, environment_id: 2 },
  ];
  expect(sparkOf(line({ environments }), [], ORDINALS, "p99")?.breaks).toEqual([3]);
  expect(sparkOf(line(), [], ORDINALS, "p99")?.breaks).toEqual([]);
});

it("prefers the newest run with an unmodified work tree", () => {
  const twice = line({ commit_ordinals: [10, 0, 0], work_tree_modified: [2] });
  expect(sparkOf(twice, [], [10], "p99")?.values).toEqual([1010]);
});

it("has no line without the figure, and uses stated values of imports", () => {
  expect(sparkOf(line(), [], ORDINALS, "p50")).toBeNull();
  expect(sparkOf(undefined, [], ORDINALS, "p50")).toBeNull();
  const stated = { center: [7, 1, 1], low: [], high: [] };
  expect(sparkOf(line({ latency_ns: null, stated }), [], ORDINALS, "p50")?.values).toEqual([7, 8, null, 9]);
});

it("marks changes of the figure at their first commit, small ones below the others", () => {
  const changes = [
    aChange({ commit_ordinal: 12 }),
    aChange({ figure: "p50", commit_ordinal: 13 }),
    aChange({ matters: false, commit_ordinal: 13 }),
    aChange({ commit_ordinal: 3 }),
    aChange({ commit_ordinal: 99 }),
  ];
  expect(sparkOf(line(), changes, ORDINALS, "p99")?.marks).toEqual([
    {
      place: 3,
      from: 3,
      mark: "small",
      direction: "regressed",
      text: "#13: p99 +12 %, small change, below the threshold",
    },
    { place: 2, from: 2, mark: "step", direction: "regressed", text: "#12: p99 +12 %" },
  ]);
});

it("marks changes of the tail on the p99 only", () => {
  const tail = [aChange({ figure: "tail", before_level: 1.92, after_level: 3.08 })];
  const text = "#11: p99 is now 3.1 times the p50 (was 1.9)";
  expect(sparkOf(line(), tail, ORDINALS, "p99")?.marks).toMatchObject([{ mark: "tail", text }]);
  const other = line({ latency_ns: { p50: [1, 1, 1] } });
  expect(sparkOf(other, tail, ORDINALS, "p50")?.marks).toEqual([]);
});

it("marks changes of p50 and p99 for other figures", () => {
  const other = line({ latency_ns: { p90: [1, 1, 1] } });
  const changes = [aChange({}), aChange({ figure: "p50" })];
  expect(sparkOf(other, changes, ORDINALS, "p90")?.marks).toMatchObject([
    { place: 1, direction: "regressed", text: "#11: p99 +12 %; #11: p50 +12 %" },
  ]);
});

it("describes a line", () => {
  const spark = sparkOf(line(), [aChange({})], ORDINALS, "p99");
  expect(spark && sparkText(spark, "p99", {})).toBe("p99 at 3 commits, 990 ns to 1.01 µs; #11: p99 +12 %");
  expect(sparkText({ values: [null], breaks: [], marks: [] }, "p99", {})).toBe("p99: not measured");
});

it.each([
  [60, 60, 8, 1, "60 series: 8 transports on 1 machine"],
  [9, 60, 8, 3, "9 of 60 series match"],
  [1, 60, 8, 3, "1 of 60 series matches"],
  [0, 60, 8, 3, "No matching series"],
  [0, 0, 0, 0, "No results yet"],
])("has a headline for %d of %d series", (found, all, transports, machines, headline) => {
  expect(headlineOf(found, all, transports, machines)).toBe(headline);
});

it("has a table of series by commits, newest first, in nanoseconds", () => {
  const series = [aSeries({ series_id: 1, latest: aPoint() })];
  const spark = sparkOf(line(), [], ORDINALS, "p99");
  const table = gridTable("libfoo", series, new Map([[1, spark]]), ORDINALS, "p99");
  expect(table.columns.slice(-4).map(({ csvName }) => csvName)).toEqual([
    "latency_ns_at_13",
    "latency_ns_at_12",
    "latency_ns_at_11",
    "latency_ns_at_10",
  ]);
  expect(table.rows()[0]?.csv.slice(-4)).toEqual([990, null, 1010, 1000]);
});

it("has no newest percentile that its number of values does not support", () => {
  const series = aSeries({ latest: aPoint({ count: 10 }) });
  expect(newestOf(series, "p90")).toBe(series.latest?.latency_ns.p90);
  expect(newestOf(series, "p99")).toBeNull();
});

it("removes duplicate selected series", () => {
  expect(pickedOf("12,15,12")).toEqual([12, 15]);
});

it("finds the traits that differ between matching series", () => {
  const counted = <Value>(...values: Value[]) => values.map((value) => ({ value, series_count: 1 }));
  const counts = {
    series_count: 4,
    transport: counted("pipe", "tcp"),
    scenario: counted("roundtrip"),
    mode: counted("2proc"),
    placement: counted("same-cpu", "cross-cpu"),
    machine: counted("lab-1", "lab-2", "lab-3"),
    message_bytes: counted(64, 1024),
    peers: counted(1),
  };
  expect(variedTraits(counts, {})).toEqual(["transport", "size", "placement", "machine"]);
  // Counts of a facet include values that are not selected.
  expect(variedTraits(counts, { transport: "pipe", message_bytes: "64", machine: "lab-1,lab-2" })).toEqual([
    "placement",
    "machine",
  ]);
});
