import { describe, expect, it } from "vitest";
import type { SeriesFacets, SeriesSummary } from "@/api/types";
import { parametersKey, USUAL_PARAMETERS } from "@/lib/cases";
import { distinct } from "@/lib/collections";
import { aChangePoint, aLine, anObserved, aPoint, aResult, aRun, aSeries, latency } from "@/test/fixtures";
import { rankingOf, shapeOf, transportGrid } from "./data";
import type { OverviewSearch } from "./search";
import {
  chosenScenario,
  chosenSlice,
  chosenTraffic,
  parameterOptions,
  seriesOfSlice,
  sliceOptions,
} from "./slice";

/** Nothing is drawn yet. */
const DRAWN = { lines: new Map(), changes: new Map() };

const slice = {
  scenario: "roundtrip",
  mode: "2proc",
  placement: "same-cpu",
  bytes: 1024,
  parameters: USUAL_PARAMETERS,
};

/** What the server tells of these series. */
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

const optionsOf = (series: SeriesSummary[], scenario: string) =>
  sliceOptions(facetsOf(series), facetsOf(series.filter((entry) => entry.case.scenario === scenario)));

/** The slice that the page shows of these series. */
function shownSlice(series: SeriesSummary[], search: OverviewSearch) {
  const scenario = chosenScenario(facetsOf(series), search) ?? "";
  const traffic = chosenTraffic(scenario, optionsOf(series, scenario), search);
  return chosenSlice(series, traffic, search.parameters);
}

describe("the slice that is shown", () => {
  const series = [
    aSeries({ case: { message_bytes: 64 } }),
    aSeries({ case: { message_bytes: 1024 } }),
    aSeries({ case: { message_bytes: 1024, placement: "cross-cpu" } }),
    aSeries({ case: { scenario: "stream", message_bytes: 65_536, placement: "cross-cpu" } }),
  ];
  it("opens with the usual slice", () => {
    expect(shownSlice(series, {})).toEqual(slice);
  });
  it("takes what was asked for as far as it was measured", () => {
    expect(shownSlice(series, { bytes: 64, placement: "nowhere" })).toEqual({ ...slice, bytes: 64 });
  });
  it("takes what there is when the usual was not measured", () => {
    expect(shownSlice(series, { scenario: "stream" })).toEqual({
      scenario: "stream",
      mode: "2proc",
      placement: "cross-cpu",
      bytes: 65_536,
      parameters: USUAL_PARAMETERS,
    });
  });
  it("is none where nothing was measured, whatever was imported", () => {
    const imported = aSeries({ case: { scenario: "benchmark" } });
    expect(chosenScenario(facetsOf([imported]), {})).toBeUndefined();
  });
  it("offers only what was measured, placements in their usual order", () => {
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
  const idsWith = (parameters: string) =>
    seriesOfSlice(series, shownSlice(series, { parameters })).map(({ series_id }) => series_id);
  it("are never mixed in one slice, and none set is the usual", () => {
    expect(seriesOfSlice(series, shownSlice(series, {})).map(({ series_id }) => series_id)).toEqual([3]);
    expect(idsWith("buffer-4096")).toEqual([2]);
    expect(idsWith("buffer-65536")).toEqual([1]);
  });
  it("are offered as far as they were measured with the rest of the slice", () => {
    expect(parameterOptions(series, slice).map(parametersKey)).toEqual(["", "buffer-4096", "buffer-65536"]);
    expect(idsWith("buffer-512")).toEqual([3]);
  });
  it("are those there are where none was measured without", () => {
    const openLoop = shownSlice(series, { scenario: "open-loop" });
    expect(openLoop.parameters.rate_per_second).toBe(1000);
    expect(seriesOfSlice(series, openLoop).map(({ series_id }) => series_id)).toEqual([4]);
  });
});

describe("seriesOfSlice", () => {
  it("does not show what a probe slowed down as if it were raw", () => {
    const methodology = { ...aSeries().methodology, probe: "syscalls" };
    const latest = aPoint({ measured_at: "2026-12-01T00:00:00Z" });
    const series = [aSeries({ series_id: 1 }), aSeries({ series_id: 2, methodology, latest })];
    expect(seriesOfSlice(series, slice).map(({ series_id }) => series_id)).toEqual([1]);
    const grid = (entries: typeof series) =>
      transportGrid({
        slice,
        series: entries,
        transports: [],
        machines: ["lab-linux-1"],
        ...DRAWN,
        runs: new Map(),
      });
    expect(grid(series)[0]?.cells[0]?.cell).toMatchObject({ kind: "measured", series: { series_id: 1 } });
    expect(grid(series.slice(1))[0]?.cells[0]?.cell).toMatchObject({
      kind: "probed",
      series: { series_id: 2 },
    });
  });
  it("takes the methodology measured last", () => {
    const old = aSeries({ series_id: 1, latest: aPoint({ measured_at: "2026-01-01T00:00:00Z" }) });
    const now = aSeries({ series_id: 2, latest: aPoint({ measured_at: "2026-02-01T00:00:00Z" }) });
    expect(seriesOfSlice([now, old], slice).map(({ series_id }) => series_id)).toEqual([2]);
  });
});

describe("transportGrid", () => {
  it("says of each place what was measured, why not, or that nothing is known", () => {
    const rows = transportGrid({
      slice,
      series: [
        aSeries({ series_id: 1, transport: "pipe" }),
        aSeries({ series_id: 2, transport: "posix-mq", latest: null }),
      ],
      transports: ["pipe", "posix-mq", "tcp"],
      machines: ["lab-linux-1"],
      ...DRAWN,
      runs: new Map([
        [
          "lab-linux-1",
          [aRun({ results: [aResult({ transport: "posix-mq", point: null, unsupported: "not mounted" })] })],
        ],
      ]),
    });
    expect(rows.map(({ slug, cells }) => [slug, cells[0]?.cell.kind])).toEqual([
      ["pipe", "measured"],
      ["posix-mq", "unsupported"],
      ["tcp", "missing"],
    ]);
    expect(rows[1]?.cells[0]?.cell).toEqual({ kind: "unsupported", reason: "not mounted" });
  });
  const line = (ordinals: number[], p50: number[]) =>
    aLine({ commit_ordinals: ordinals, latency_ns: { p50 } });
  const rowOf = (latest: ReturnType<typeof aPoint>) =>
    transportGrid({
      slice,
      series: [aSeries({ series_id: 1, latest })],
      transports: ["pipe"],
      machines: ["lab-linux-1"],
      lines: new Map([[1, line([7, 0, 1], [1000, 1000, 1000])]]),
      changes: new Map([[1, [aChangePoint({ commit_ordinal: 8 }), aChangePoint({ commit_ordinal: 3 })]]]),
      runs: new Map(),
    })[0]?.cells[0]?.cell;
  it("draws one value a commit, the newest run's, and where it changed within what is drawn", () => {
    expect(rowOf(aPoint())).toMatchObject({
      values: [2000, 3000],
      marks: [{ place: 1, direction: "regressed" }],
    });
  });
  it("draws rates the other way round", () => {
    const { values } = rowOf(aPoint({ bytes_per_second: 5 })) as { values: number[] };
    expect(values[0]).toBeGreaterThan(values[1] ?? 0);
  });
});

describe("a case that one run measured in several ways", () => {
  const kase = { scenario: "route", peers: 4, messages: 100_000 };
  const drops = { ...aSeries().methodology, on_full: "drop" };
  const lost = aPoint({ lossy: true, latency_ns: latency(7) });
  const dropped = aSeries({ series_id: 1, case: kase, methodology: drops, latest: lost });
  const whole = aSeries({ series_id: 2, case: kase });
  const ofRoute = shownSlice([dropped], { scenario: "route" });
  const gridOf = (series: ReturnType<typeof aSeries>[], results: ReturnType<typeof aResult>[] = []) =>
    transportGrid({
      slice: ofRoute,
      series,
      transports: [],
      machines: ["lab-linux-1"],
      ...DRAWN,
      runs: new Map([["lab-linux-1", [aRun({ results })]]]),
    });
  const cellOf = (rows: ReturnType<typeof gridOf>) => rows[0]?.cells[0]?.cell;
  it("shows the one that lost nothing", () => {
    for (const series of [
      [dropped, whole],
      [whole, dropped],
    ]) {
      expect(seriesOfSlice(series, ofRoute).map(({ series_id }) => series_id)).toEqual([2]);
      expect(cellOf(gridOf(series))).toMatchObject({ series: { series_id: 2 }, how: [] });
    }
  });
  it("shows the one with the fewest messages in flight", () => {
    const many = { ...whole, series_id: 3, methodology: { ...whole.methodology, window: 256 } };
    for (const series of [
      [many, whole],
      [whole, many],
    ]) {
      expect(seriesOfSlice(series, ofRoute).map(({ series_id }) => series_id)).toEqual([2]);
    }
  });
  it("says how the shown one was measured where it is not the usual way", () => {
    const always = { ...whole, series_id: 3, methodology: { ...whole.methodology, wake: "always" } };
    expect(cellOf(gridOf([always, whole]))).toMatchObject({
      series: { series_id: 3 },
      how: ["wakes always"],
    });
  });
  it("says nothing of how where there is one way", () => {
    const earlier = { ...dropped, latest: aPoint({ run_id: "another" }) };
    expect(cellOf(gridOf([whole]))).toMatchObject({ how: [], isOversubscribed: false });
    expect(cellOf(gridOf([whole, earlier]))).toMatchObject({ how: [] });
  });
  it("is marked as oversubscribed by its own run", () => {
    const observed = anObserved({ oversubscribed: true });
    const results = [aResult({ series_id: 2, case: kase, observed })];
    expect(cellOf(gridOf([whole], results))).toMatchObject({ isOversubscribed: true });
    expect(shapeOf(gridOf([whole], results)).hasOversubscribed).toBe(true);
    expect(cellOf(gridOf([whole], [{ ...results[0], series_id: 9 } as (typeof results)[0]]))).toMatchObject({
      isOversubscribed: false,
    });
  });
  it("has no part in the axis of those that lost nothing", () => {
    const fifo = aSeries({ series_id: 3, transport: "fifo", case: kase });
    const { domain, hasLoss } = shapeOf(gridOf([dropped, fifo]));
    expect([domain, hasLoss]).toEqual([[3600, 32_000], true]);
  });
});

describe("rankingOf", () => {
  const measured = (transport: string, p50: number, rate: number | null = null) =>
    aSeries({ transport, latest: aPoint({ latency_ns: latency(p50), bytes_per_second: rate }) });
  it("finds the quickest and the slowest", () => {
    const { ranked } = rankingOf(
      [measured("tcp", 12_200), measured("pipe", 4000), measured("fifo", 4100)],
      "lab-linux-1",
    );
    expect(ranked.map(({ transport }) => transport.slug)).toEqual(["pipe", "fifo", "tcp"]);
  });
  it("ranks rates the other way round", () => {
    const { ranked } = rankingOf([measured("tcp", 1, 100), measured("pipe", 1, 200)], "lab-linux-1");
    expect(ranked.map(({ transport }) => transport.slug)).toEqual(["pipe", "tcp"]);
  });
  it("does not rank what lost messages", () => {
    const lost = aSeries({ transport: "udp", latest: aPoint({ bytes_per_second: 900, lossy: true }) });
    const { ranked, lossy } = rankingOf([lost, measured("pipe", 1, 200)], "lab-linux-1");
    expect(ranked.map(({ transport }) => transport.slug)).toEqual(["pipe"]);
    expect(lossy.map(({ transport }) => transport.slug)).toEqual(["udp"]);
  });
  it("says nothing of a machine without numbers", () => {
    const nothing = { ranked: [], lossy: [] };
    expect(rankingOf([aSeries({ latest: null })], "lab-linux-1")).toEqual(nothing);
    expect(rankingOf([measured("pipe", 1)], "lab-mac-2")).toEqual(nothing);
  });
});
