import { describe, expect, it } from "vitest";
import type { Case, Point, Repetition, RunResult } from "@/api/types";
import { NOT_STATED } from "@/lib/imports";
import {
  aCommit,
  anImportedPoint,
  anImportedResult,
  anImportedSeries,
  aPoint,
  aPointDetail,
  aRepetition,
  aResult,
  aRun,
  aSeries,
  aStatedPoint,
  latency,
} from "@/test/fixtures";
import {
  drawnPoints,
  importFacts,
  importLede,
  methodologyFacts,
  pinnedPoint,
  placementSeen,
  pointHeadline,
  probeReadings,
  seriesPoints,
  shownTrend,
  sizesOf,
  statedHeadline,
  statedLede,
  statedLines,
  sweepOf,
  trendLines,
} from "./data";
import type { Shown } from "./search";
import { statedTable } from "./tables";

const ran = (run_id: string, commit_ordinal: number, day: number, work_tree_modified = false) =>
  aPoint({
    run_id,
    commit_sha: `sha-${commit_ordinal}`,
    commit_ordinal,
    measured_at: `2026-01-0${day}T00:00:00Z`,
    work_tree_modified,
  });
const dirty = ran("dirty", 1, 4, true);
const commits = [1, 2].map((ordinal) => aCommit({ sha: `sha-${ordinal}`, ordinal }));
const points = seriesPoints([ran("first", 1, 1), ran("rerun", 1, 3), dirty, ran("second", 2, 2)], commits);

it.each([
  ["each commit's newest run with an unmodified work tree", points, "commits", ["rerun", "second"]],
  ["a modified run when a commit has no other", seriesPoints([dirty], commits), "commits", ["dirty"]],
  ["every run over time", points, "time", ["first", "second", "rerun", "dirty"]],
] as const)("draws %s", (_, some, axis, drawn) => {
  expect(drawnPoints([...some], axis).map(({ point }) => point.run_id)).toEqual(drawn);
});

it("counts the runs of a commit", () => {
  expect(points.map(({ runs }) => runs)).toEqual([3, 3, 3, 1]);
});

it.each([
  ["the requested one, drawn or not", points, "first", "first"],
  ["the newest commit's otherwise", points, "unknown", "second"],
  ["nothing without points", [], undefined, undefined],
])("pins %s", (_, some, asked, pinned) => {
  expect(pinnedPoint(some, drawnPoints(some, "commits"), asked)?.point.run_id).toBe(pinned);
});

it.each([
  ["p50", ["p50", "p90"]],
  ["p999", ["p50", "p90", "p99", "p999"]],
  ["throughput", ["rate"]],
] as const)("a trend of %s has the lines %j", (shown, keys) => {
  expect(trendLines(shown).map(({ key }) => key)).toEqual(keys);
});

describe("sweepOf", () => {
  const method = (change: object) => ({ ...aSeries().methodology, ...change });
  const at = (transport: string, message_bytes: number, p50: number, change: object = {}) =>
    aResult({ transport, case: { message_bytes }, point: aPoint({ latency_ns: latency(p50), ...change }) });
  const swept = (results: RunResult[], series = aSeries(), shown: Shown = "p50", isLossy = false) =>
    sweepOf(aRun({ results }), series, shown, isLossy);
  const sizes = (results: RunResult[], change: Parameters<typeof aSeries>[0]) =>
    sizesOf(swept(results, aSeries(change)).lines);
  const alike = [
    at("fifo", 4096, 5000),
    at("fifo", 64, 4000),
    at("pipe", 64, 3900),
    aResult({ transport: "fifo", case: { placement: "cross-cpu" } }),
    aResult({ transport: "posix-mq", point: null, unsupported: "not mounted" }),
  ];
  it("has a line for each comparable transport, the series' own first, sizes ascending", () => {
    const fifo = [
      { message_bytes: 64, value: 4000 },
      { message_bytes: 4096, value: 5000 },
    ];
    expect(swept(alike).lines).toEqual([
      {
        key: "pipe",
        label: "pipe",
        family: "pipe",
        current: true,
        points: [{ message_bytes: 64, value: 3900 }],
      },
      { key: "fifo", label: "fifo", family: "pipe", current: false, points: fifo },
    ]);
  });
  it("leaves out transports without the shown value", () => {
    expect(swept(alike, aSeries(), "throughput").lines).toEqual([]);
  });
  const mixed = [
    at("pipe", 64, 1),
    aResult({ case: { message_bytes: 128, buffer_bytes: 65_536 } }),
    aResult({ case: { message_bytes: 256, rate_per_second: 1000 } }),
    aResult({ case: { message_bytes: 512, size_profile: "chromium-ipc" } }),
    aResult({ case: { message_bytes: 1024, total_bytes: 1_048_576 } }),
    aResult({ case: { message_bytes: 2048 }, methodology: method({ probe: "sched" }) }),
  ];
  it.each<[string, Parameters<typeof aSeries>[0], number]>([
    ["no parameters", {}, 64],
    ["the same parameters", { case: { buffer_bytes: 65_536 } }, 128],
    ["the same probe", { methodology: method({ probe: "sched" }) }, 2048],
  ])("joins only what has %s", (_, change, size) => {
    expect(sizes(mixed, change)).toEqual([size]);
  });
  const stream = (message_bytes: number, total_bytes: number) => ({
    case: { scenario: "stream", message_bytes, total_bytes },
  });
  it.each([
    ["bytes", stream(256, 4096), [64, 256, 1024, 4096]],
    ["number of messages", stream(256, 256), [64, 256, 4096, 8192]],
  ])("joins transfers of the same %s", (_, own, joined) => {
    const bytes = [stream(64, 4096), stream(256, 4096), stream(1024, 4096)];
    const single = [64, 256, 4096, 8192].map((size) => stream(size, size));
    expect(sizes([...bytes, ...single].map(aResult), own)).toEqual(joined);
  });
  it.each([
    [false, ["pipe"], ["udp"]],
    [true, ["udp"], ["pipe"]],
  ])("never joins lossy and lossless results: %s", (isLossy, keys, left) => {
    const results = [at("pipe", 64, 5), at("udp", 1024, 7, { lossy: true })];
    const { lines, leftOut } = swept(results, aSeries(), "p50", isLossy);
    expect([lines.map(({ key }) => key), leftOut]).toEqual([keys, left]);
  });
  it("does not list a transport as left out if a lossless result of that size exists", () => {
    expect(swept([at("pipe", 64, 5), at("pipe", 64, 4000, { lossy: true })]).leftOut).toEqual([]);
  });
  it.each([
    [{ wake: "if-asleep", storage: "cleared" }, 200, 400],
    [{ wake: "always", storage: "warm" }, 100, 300],
  ])("prefers the methodology closest to that of the series: %j", (change, futex, spin) => {
    const measured = (transport: string, p50: number, how: object) => ({
      ...at(transport, 1024, p50),
      methodology: method(how),
    });
    const results = [
      measured("ring-futex", 100, { wake: "always" }),
      measured("ring-futex", 200, { wake: "if-asleep" }),
      measured("ring-spin", 300, { storage: "warm" }),
      measured("ring-spin", 400, { storage: "cleared" }),
    ];
    const { lines } = swept(results, aSeries({ transport: "ring-futex", methodology: method(change) }));
    const values = lines.map(({ key, points }) => [key, points.map(({ value }) => value)]);
    expect(values).toEqual([
      ["ring-futex", [futex]],
      ["ring-spin", [spin]],
    ]);
  });
});

const lossy = { lossy: true, count: 10, delivered: 168_170, latency_ns: latency(1_702_911) };
const many = { messages: 100_000 };

it.each<[string, Partial<Case>, Partial<Point>, string]>([
  ["the percentiles", {}, {}, "p50 4.00 µs, p99 8.00 µs"],
  [
    "the time per message if an operation has several",
    many,
    { latency_ns: latency(22_104_870) },
    "p50 22.1 ms (221 ns per message), p99 44.2 ms",
  ],
  [
    "throughput if available",
    { scenario: "stream" },
    { bytes_per_second: 1_048_576 },
    "1.00 MiB/s, p99 8.00 µs per transfer",
  ],
  [
    "a loss first, then the time per delivered message",
    many,
    lossy,
    "lossy, p50 1.70 ms (101 ns per delivered message)",
  ],
  ["a loss before throughput", {}, { ...lossy, bytes_per_second: 1024 }, "lossy, 1.00 KiB/s"],
])("a headline has %s", (_, kase, point, headline) => {
  const text = pointHeadline(aPoint(point), aSeries({ case: kase }).case);
  expect(text).toBe(headline.replace(/\(.*\)/, (divided) => divided.replaceAll(" ", "\u00a0")));
});

const sevenEnds = [0, 1, 2, 3, 4, 5, 6].map((cpu) => ({ cpus_seen: [cpu], migrations: 1 }));
const twice = [
  { cpus_seen: [2], migrations: 1 },
  { cpus_seen: [3, 2], migrations: 0 },
];

it.each<[string, Repetition["ends"][], Partial<Case>, string]>([
  ["of both ends, with their migrations", [twice, twice], {}, "CPU 2 and 2, 3, 2 migrations"],
  [
    "of two senders, or their number if there are more",
    [sevenEnds],
    { senders: 2, peers: 5 },
    "from CPU 0, 1 to 5 different CPUs; 7 migrations",
  ],
  [
    "of four senders",
    [sevenEnds],
    { senders: 4, peers: 3 },
    "from CPU 0, 1, 2, 3 to CPU 4, 5, 6; 7 migrations",
  ],
  ["as unknown", [[]], {}, "unknown on this system"],
  [
    "without unknown migrations",
    [[{ cpus_seen: [0] }, { cpus_seen: [1] }]],
    {},
    "CPU 0 and 1, migrations unknown",
  ],
])("names the processors %s", (_, repetitions, kase, seen) => {
  const detail = aPointDetail({ repetitions: repetitions.map((ends) => aRepetition({ ends })) });
  expect(placementSeen(detail, aSeries({ case: kase }).case)).toBe(seen);
});

it("reports deleted processor data", () => {
  const pruned = { upload_at: "2026-11-14T11:00:00Z", histograms_at: null, points_at: null };
  expect(placementSeen(aPointDetail({ pruned, repetitions: [] }), aSeries().case)).toBe("deleted");
});

describe("methodologyFacts", () => {
  const { case: kase, methodology } = aSeries();
  const facts = (change: Partial<typeof methodology>, of: Partial<typeof kase> = {}, count?: number) => {
    const point = count === undefined ? null : aPoint({ count });
    const all = methodologyFacts(aSeries({ case: of }).case, { ...methodology, ...change }, point);
    return Object.fromEntries(all.map(({ name, value }) => [name, value]));
  };
  it("leaves out facts without a value", () => {
    expect(facts({})).toMatchObject({ Message: "1 KiB" });
    expect(Object.keys(facts({}))).not.toContain("Probe");
    expect(Object.keys(facts({}))).not.toContain("discarded");
  });
  it("lists parameters, probe and discarded repetitions", () => {
    expect(facts({ probe: "syscalls", discarded_repetitions: 1 }, { buffer_bytes: 65_536 })).toMatchObject({
      Message: "1 KiB, 64 KiB buffer",
      Probe: "syscalls",
      Discarded: "first repetition",
    });
  });
  it("describes the ends, full channels, wake-ups and memory", () => {
    const ends = { senders: 2, peers: 2, messages: 100_000 };
    expect(facts({ storage: "cleared", wake: "if-asleep" }, ends)).toMatchObject({
      Placement: "one process each, same CPU",
      Message: "1 KiB, 100,000 messages, 2 senders, 2 receivers",
      "When full": "sender waits",
      "Wake-ups": "if the other end sleeps",
      Memory: "new and zeroed",
    });
    expect(facts({ storage: "warm", wake: "always", on_full: "drop" }, ends)).toMatchObject({
      "When full": "message dropped",
      "Wake-ups": "with every message",
      Memory: "used before",
    });
    const other = facts({ storage: "of-another-day" }, ends);
    expect([other["Wake-ups"], other.Memory]).toEqual([undefined, "of-another-day"]);
  });
  it.each([
    [2000, "200 operations × 10 repetitions"],
    [10, "1 operation × 10 repetitions"],
    [1999, "1,999 operations in 10 repetitions"],
  ])("describes %d operations by repetition", (count, recorded) => {
    expect(facts({}, {}, count).Recorded).toBe(recorded);
  });
});

describe("a series of another tool", () => {
  const series = anImportedSeries();
  const facts = (series: ReturnType<typeof anImportedSeries>) =>
    importFacts(series, series.latest).map(({ name, value }) => `${name}: ${value}`);
  it("has no percentile in the headline without enough samples", () => {
    expect(pointHeadline(anImportedPoint(), series.case)).toBe(
      "p50 4.00 µs (4.00\u00a0ns\u00a0per\u00a0operation)",
    );
    expect(pointHeadline(anImportedPoint({ count: 100 }), series.case)).toContain("p99 8.00 µs");
    const single = anImportedSeries({ case: { operations: null } }).case;
    expect(pointHeadline(anImportedPoint(), single)).toBe("p50 4.00 µs");
  });
  it("states the operations per time once", () => {
    expect(importLede(series)).toBe(
      "Imported from a file of Google Benchmark (JSON). Each time covers 1,000 operations.",
    );
  });
  it("shows only percentiles with enough samples", () => {
    expect(shownTrend(5, "p99")).toMatchObject({
      choices: ["p50"],
      shown: "p50",
      lines: [{ key: "p50" }],
    });
    expect(shownTrend(50, "p999")).toMatchObject({
      shown: "p50",
      lines: [{ key: "p50" }, { key: "p90" }],
    });
    expect(shownTrend(100, "p99").shown).toBe("p99");
  });
  it("marks missing methodology facts, and has no sizes", () => {
    expect(facts(series)).toEqual([
      "Benchmark: BM_Pipe/64",
      "Measured by: Google Benchmark",
      "Operations per time: 1,000",
      "Recorded: 5 samples in 5 repetitions",
      `Placement, delivery: ${NOT_STATED}`,
      `Clock, warm-up: ${NOT_STATED}`,
      "Parser version: 1",
    ]);
  });
  it("is not part of a size sweep", () => {
    const run = aRun({ results: [anImportedResult(), anImportedResult({ series_id: 2 })] });
    expect(sweepOf(run, series, "p50", false)).toEqual({ lines: [], leftOut: [] });
  });
});

describe("a stated series", () => {
  const series = anImportedSeries({ transport: { title: "k6 (summary as JSON)" }, statistic: "median" });
  const stated = aStatedPoint({ center_ns: 7_450_000, low_ns: 7_000_000, high_ns: 8_000_000 });
  it("names the tool and the statistic, and says that two values are never compared", () => {
    expect(statedHeadline(stated, "median", series.case)).toBe(
      "median 7.45 ms (7.45\u00a0µs\u00a0per\u00a0operation)",
    );
    expect(statedLede(series, "median")).toBe(
      "Median stated by k6, without samples. Two values are never compared, but changes of the history are found. Each time covers 1,000 operations.",
    );
    expect(importFacts(series, null)).toContainEqual({
      name: "Statistic",
      value: "median, without samples",
    });
    expect(importFacts(series, null)).toContainEqual({ name: "Stated by", value: "k6" });
  });
  it("has one line", () => {
    expect(statedLines("median").map(({ key, label }) => [key, label])).toEqual([["center", "median"]]);
  });
  it("draws one point per commit", () => {
    const early = aStatedPoint({ run_id: "a", measured_at: "2026-01-01T00:00:00Z" });
    const late = aStatedPoint({ run_id: "b", measured_at: "2026-01-02T00:00:00Z" });
    const points = seriesPoints([early, late], [aCommit()]);
    expect(drawnPoints(points, "commits").map(({ point, runs }) => [point.run_id, runs])).toEqual([["b", 2]]);
    expect(drawnPoints(points, "time")).toHaveLength(2);
    expect(pinnedPoint(points, points, "a")?.point.run_id).toBe("a");
  });
  it("has table columns only for values that are stated", () => {
    const point = { ...stated, quantiles: [{ q_ppm: 999_000, ns: 9_000_000 }], count: 200 };
    const table = statedTable(series, "median", seriesPoints([point], [aCommit()]));
    expect(table.fileName).toBe("lab-linux-1-google-benchmark-BM_Pipe-64-median-commits");
    expect(table.columns.map(({ csvName }) => csvName).join()).toBe(
      "commit_sha,commit_ordinal,measured_at,center_ns,low_ns,high_ns,p999_ns,count,run_id",
    );
    expect(table.rows()[0]?.csv.slice(3, 8)).toEqual([7_450_000, 7_000_000, 8_000_000, 9_000_000, 200]);
    expect(statedTable(series, "median", seriesPoints([aStatedPoint()], [])).rows()[0]?.cells).toContain(
      NOT_STATED,
    );
  });
});

it("sums readings by end: system calls, then counters, then unavailable ones", () => {
  const ends = [
    {
      cpus_seen: [1],
      system_calls: [
        { name: "futex", count: 3 },
        { name: "write", bytes: 8192, count: 2048 },
      ],
      counters: { context_switches: 4 },
      unavailable: { llc_misses: "this processor has no such counter" },
    },
    { cpus_seen: [0], system_calls: [{ name: "read", bytes: 8192, count: 2048 }] },
  ];
  const detail = aPointDetail({ repetitions: [aRepetition({ ends }), aRepetition({ ends })] });
  expect(probeReadings(detail, 1)).toEqual([
    { end: "sender", event: "write of 8 KiB", count: 4096, reason: "" },
    { end: "sender", event: "futex", count: 6, reason: "" },
    { end: "sender", event: "context switches", count: 8, reason: "" },
    { end: "sender", event: "llc misses", count: null, reason: "this processor has no such counter" },
    { end: "receiver", event: "read of 8 KiB", count: 4096, reason: "" },
  ]);
});

it("names many ends, senders first, in numeric order", () => {
  const ends = Array.from({ length: 12 }, () => ({
    cpus_seen: [],
    system_calls: [{ name: "futex", count: 1 }],
  }));
  const named = (senders: number) => {
    const detail = aPointDetail({ repetitions: [aRepetition({ ends })] });
    return probeReadings(detail, senders).map(({ end }) => end);
  };
  expect(named(11)).toEqual([...Array.from({ length: 11 }, (_, index) => `sender ${index + 1}`), "receiver"]);
  expect(named(1).slice(0, 3)).toEqual(["sender", "receiver 1", "receiver 2"]);
  expect(named(1).at(-1)).toBe("receiver 11");
});

it("is empty without a probe", () => {
  expect(probeReadings(aPointDetail(), 1)).toEqual([]);
});
