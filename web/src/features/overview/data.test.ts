import { describe, expect, it } from "vitest";
import type { Methodology, Point, RunResult, SeriesFacets, SeriesSummary } from "@/api/types";
import { parametersKey, USUAL_PARAMETERS } from "@/lib/cases";
import { distinct } from "@/lib/collections";
import { aChangePoint, aLine, anObserved, aPoint, aResult, aRun, aSeries, latency } from "@/test/fixtures";
import {
  chosenScenario,
  chosenSlice,
  chosenTraffic,
  type GridInput,
  lossyOf,
  parameterOptions,
  seriesOfSlice,
  shapeOf,
  sliceOptions,
  transportGrid,
} from "./data";
import type { OverviewSearch } from "./search";

const slice = {
  scenario: "roundtrip",
  mode: "2proc",
  placement: "same-cpu",
  bytes: 1024,
  parameters: USUAL_PARAMETERS,
};

/** The server's facets for these series. */
function facetsOf(series: SeriesSummary[]): SeriesFacets {
  const counted = <T extends string | number>(of: (entry: SeriesSummary) => T) =>
    distinct(series.map(of)).map((value) => ({ value, series_count: 1 }));
  return {
    series_count: series.length,
    machine: counted(({ machine }) => machine),
    transport: counted(({ transport }) => transport.slug),
    scenario: counted((entry) => entry.case.scenario),
    mode: counted((entry) => entry.case.mode),
    placement: counted((entry) => entry.case.placement),
    message_bytes: counted((entry) => entry.case.message_bytes),
    peers: counted((entry) => entry.case.peers),
  };
}

/** A grid of one machine, empty by default. */
const gridOf = (input: Partial<GridInput>) =>
  transportGrid({
    slice,
    series: [],
    transports: [],
    machines: ["lab-linux-1"],
    lines: new Map(),
    changes: new Map(),
    runs: new Map(),
    ...input,
  });
const cellOf = (input: Partial<GridInput>) => gridOf(input)[0]?.cells[0]?.cell;
const runsOf = (results: RunResult[]) => new Map([["lab-linux-1", [aRun({ results })]]]);
const idsOf = (series: SeriesSummary[]) => series.map(({ series_id }) => series_id);
const slugsOf = (series: SeriesSummary[]) => series.map(({ transport }) => transport.slug);

const optionsOf = (series: SeriesSummary[], scenario: string) =>
  sliceOptions(facetsOf(series), facetsOf(series.filter((entry) => entry.case.scenario === scenario)));

/** The slice that the page shows of these series. */
function shownSlice(series: SeriesSummary[], search: OverviewSearch) {
  const scenario = chosenScenario(facetsOf(series), search) ?? "";
  const traffic = chosenTraffic(scenario, optionsOf(series, scenario), search);
  return chosenSlice(series, traffic, search.parameters);
}

describe("the selected slice", () => {
  const series = [
    aSeries({ case: { message_bytes: 64 } }),
    aSeries({ case: { message_bytes: 1024 } }),
    aSeries({ case: { message_bytes: 1024, placement: "cross-cpu" } }),
    aSeries({ case: { scenario: "stream", message_bytes: 65_536, placement: "cross-cpu" } }),
  ];
  it("has defaults", () => {
    expect(shownSlice(series, {})).toEqual(slice);
  });
  it("uses requested values that have results", () => {
    expect(shownSlice(series, { bytes: 64, placement: "nowhere" })).toEqual({ ...slice, bytes: 64 });
  });
  it("falls back to existing values", () => {
    expect(shownSlice(series, { scenario: "stream" })).toEqual({
      scenario: "stream",
      mode: "2proc",
      placement: "cross-cpu",
      bytes: 65_536,
      parameters: USUAL_PARAMETERS,
    });
  });
  it("is undefined if there are only imports", () => {
    const imported = aSeries({ case: { scenario: "benchmark" } });
    expect(chosenScenario(facetsOf([imported]), {})).toBeUndefined();
  });
  it("offers only values with results, placements in a fixed order", () => {
    expect(optionsOf(series, "roundtrip")).toEqual({
      scenarios: ["roundtrip", "stream"],
      modes: ["2proc"],
      placements: ["same-cpu", "cross-cpu"],
      sizes: [64, 1024],
    });
  });
});

describe("parameters", () => {
  const series = [
    aSeries({ series_id: 1, case: { buffer_bytes: 65_536 } }),
    aSeries({ series_id: 2, case: { buffer_bytes: 4096 } }),
    aSeries({ series_id: 3 }),
    aSeries({ series_id: 4, case: { scenario: "open-loop", rate_per_second: 1000 } }),
    aSeries({ series_id: 5, case: { message_bytes: 64, buffer_bytes: 512 } }),
  ];
  const idsWith = (search: OverviewSearch) => idsOf(seriesOfSlice(series, shownSlice(series, search)));
  it.each<[OverviewSearch, number]>([
    [{}, 3],
    [{ parameters: "buffer-4096" }, 2],
    [{ parameters: "buffer-65536" }, 1],
    [{ parameters: "buffer-512" }, 3],
  ])("are never mixed in one slice, and are unset by default: %j", (search, id) => {
    expect(idsWith(search)).toEqual([id]);
  });
  it("are offered if they have results in the slice", () => {
    expect(parameterOptions(series, slice).map(parametersKey)).toEqual(["", "buffer-4096", "buffer-65536"]);
  });
  it("fall back to existing ones", () => {
    expect(shownSlice(series, { scenario: "open-loop" }).parameters.rate_per_second).toBe(1000);
    expect(idsWith({ scenario: "open-loop" })).toEqual([4]);
  });
});

describe("seriesOfSlice", () => {
  it("does not mix probed and raw results", () => {
    const methodology = { ...aSeries().methodology, probe: "syscalls" };
    const latest = aPoint({ measured_at: "2026-12-01T00:00:00Z" });
    const series = [aSeries({ series_id: 1 }), aSeries({ series_id: 2, methodology, latest })];
    expect(idsOf(seriesOfSlice(series, slice))).toEqual([1]);
    expect(cellOf({ series })).toMatchObject({ kind: "measured", series: { series_id: 1 } });
    expect(cellOf({ series: series.slice(1) })).toMatchObject({ kind: "probed", series: { series_id: 2 } });
  });
  it("uses the newest methodology", () => {
    const old = aSeries({ series_id: 1, latest: aPoint({ measured_at: "2026-01-01T00:00:00Z" }) });
    const now = aSeries({ series_id: 2, latest: aPoint({ measured_at: "2026-02-01T00:00:00Z" }) });
    expect(idsOf(seriesOfSlice([now, old], slice))).toEqual([2]);
  });
});

describe("transportGrid", () => {
  it("has a value, a reason or `missing` in each cell", () => {
    const rows = gridOf({
      series: [
        aSeries({ series_id: 1, transport: "pipe" }),
        aSeries({ series_id: 2, transport: "posix-mq", latest: null }),
      ],
      transports: ["pipe", "posix-mq", "tcp"],
      runs: runsOf([aResult({ transport: "posix-mq", point: null, unsupported: "not mounted" })]),
    });
    expect(rows.map(({ slug, cells }) => [slug, cells[0]?.cell])).toMatchObject([
      ["pipe", { kind: "measured" }],
      ["posix-mq", { kind: "unsupported", reason: "not mounted" }],
      ["tcp", { kind: "missing" }],
    ]);
  });
  const drawn = (latest: Point) =>
    cellOf({
      series: [aSeries({ latest })],
      lines: new Map([[1, aLine({ commit_ordinals: [7, 0, 1], latency_ns: { p50: [1000, 1000, 1000] } })]]),
      changes: new Map([[1, [aChangePoint({ commit_ordinal: 8 }), aChangePoint({ commit_ordinal: 3 })]]]),
    });
  it("draws the newest run of each commit, and change points within the range", () => {
    expect(drawn(aPoint())).toMatchObject({
      values: [2000, 3000],
      marks: [{ place: 1, direction: "regressed" }],
    });
  });
  it("draws throughput as inverse times", () => {
    const { values } = drawn(aPoint({ bytes_per_second: 5 })) as { values: number[] };
    expect(values[0]).toBeGreaterThan(values[1] ?? 0);
  });
});

describe("a case that one run measured in several ways", () => {
  const kase = { scenario: "route", peers: 4, messages: 100_000 };
  const lost = aPoint({ lossy: true, latency_ns: latency(7) });
  const whole = aSeries({ series_id: 2, case: kase });
  const like = (methodology: Partial<Methodology>, change: Partial<SeriesSummary> = {}) => ({
    ...whole,
    series_id: 3,
    methodology: { ...whole.methodology, ...methodology },
    ...change,
  });
  const dropped = like({ on_full: "drop" }, { series_id: 1, latest: lost });
  const ofRoute = shownSlice([dropped], { scenario: "route" });
  const cell = (series: SeriesSummary[], results: RunResult[] = []) =>
    cellOf({ slice: ofRoute, series, runs: runsOf(results) });
  it.each([
    ["is lossless", dropped],
    ["has the smallest window", like({ window: 256 })],
  ])("shows the one that %s, in either order", (_, other) => {
    expect(idsOf(seriesOfSlice([other, whole], ofRoute))).toEqual([2]);
    expect(idsOf(seriesOfSlice([whole, other], ofRoute))).toEqual([2]);
  });
  it("names the methodology only if it is ambiguous and not the default", () => {
    const always = like({ wake: "always" });
    const earlier = { ...dropped, latest: aPoint({ run_id: "another" }) };
    expect(cell([always, whole])).toMatchObject({ series: { series_id: 3 }, how: ["always wakes"] });
    for (const series of [[dropped, whole], [whole, dropped], [whole], [whole, earlier]]) {
      expect(cell(series)).toMatchObject({ series: { series_id: 2 }, how: [], isOversubscribed: false });
    }
  });
  it("is marked as oversubscribed if its run says so", () => {
    const result = (series_id: number) =>
      aResult({ series_id, case: kase, observed: anObserved({ oversubscribed: true }) });
    expect(cell([whole], [result(2)])).toMatchObject({ isOversubscribed: true });
    const rows = gridOf({ slice: ofRoute, series: [whole], runs: runsOf([result(2)]) });
    expect(shapeOf(rows).hasOversubscribed).toBe(true);
    expect(cell([whole], [result(9)])).toMatchObject({ isOversubscribed: false });
  });
  it("does not affect the axis if it is lossy", () => {
    const fifo = aSeries({ series_id: 3, transport: "fifo", case: kase });
    expect(shapeOf(gridOf({ slice: ofRoute, series: [dropped, fifo] })).domain).toEqual([3600, 32_000]);
  });
});

const measured = (transport: string, p50: number, rate: number | null = null, lossy = false) =>
  aSeries({ transport, latest: aPoint({ latency_ns: latency(p50), bytes_per_second: rate, lossy }) });

it("finds the results of a machine that lost messages", () => {
  const series = [
    measured("udp", 1, 900, true),
    measured("pipe", 1, 200),
    { ...measured("tcp", 1, 1, true), machine: "lab-mac-2" },
    aSeries({ latest: null }),
  ];
  expect(slugsOf(lossyOf(series, "lab-linux-1"))).toEqual(["udp"]);
});
