import { describe, expect, it } from "vitest";
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
  seriesPoints,
  sizesOf,
  statedHeadline,
  statedLede,
  statedLines,
  sweepOf,
  toldTrend,
  trendLines,
} from "./data";
import { statedTable } from "./tables";

const first = aPoint({
  run_id: "first",
  commit_sha: "a",
  commit_ordinal: 1,
  measured_at: "2026-01-01T00:00:00Z",
});
const rerun = aPoint({
  run_id: "rerun",
  commit_sha: "a",
  commit_ordinal: 1,
  measured_at: "2026-01-03T00:00:00Z",
});
const dirty = aPoint({
  run_id: "dirty",
  commit_sha: "a",
  commit_ordinal: 1,
  measured_at: "2026-01-04T00:00:00Z",
  work_tree_modified: true,
});
const second = aPoint({
  run_id: "second",
  commit_sha: "b",
  commit_ordinal: 2,
  measured_at: "2026-01-02T00:00:00Z",
});
const commits = [aCommit({ sha: "a", ordinal: 1 }), aCommit({ sha: "b", ordinal: 2 })];
const points = seriesPoints([first, rerun, dirty, second], commits);
const idsOf = (list: typeof points) => list.map(({ point }) => point.run_id);

describe("drawnPoints", () => {
  it("takes each commit's newest run with an unmodified work tree", () => {
    expect(idsOf(drawnPoints(points, "commits"))).toEqual(["rerun", "second"]);
  });
  it("takes a modified run when a commit has no other", () => {
    expect(idsOf(drawnPoints(seriesPoints([dirty], commits), "commits"))).toEqual(["dirty"]);
  });
  it("takes every run over time", () => {
    expect(idsOf(drawnPoints(points, "time"))).toEqual(["first", "second", "rerun", "dirty"]);
  });
  it("knows how many runs a commit has", () => {
    expect(points.map(({ runs }) => runs)).toEqual([3, 3, 3, 1]);
  });
});

describe("pinnedPoint", () => {
  const drawn = drawnPoints(points, "commits");
  it("is the one asked for, drawn or not", () => {
    expect(pinnedPoint(points, drawn, "first")?.point.run_id).toBe("first");
  });
  it("is the newest commit's otherwise", () => {
    expect(pinnedPoint(points, drawn, "unknown")?.point.run_id).toBe("second");
    expect(pinnedPoint([], [], undefined)).toBeNull();
  });
});

describe("the trend", () => {
  it("reaches as far into the tail as is shown", () => {
    expect(trendLines("p50").map(({ key }) => key)).toEqual(["p50", "p90"]);
    expect(trendLines("p999").map(({ key }) => key)).toEqual(["p50", "p90", "p99", "p999"]);
    expect(trendLines("throughput").map(({ key }) => key)).toEqual(["rate"]);
  });
});

describe("sweepOf", () => {
  const size = (message_bytes: number, transport: string, p50: number) =>
    aResult({ transport, case: { message_bytes }, point: aPoint({ latency_ns: latency(p50) }) });
  const run = aRun({
    results: [
      size(4096, "fifo", 5000),
      size(64, "fifo", 4000),
      size(64, "pipe", 3900),
      aResult({ transport: "fifo", case: { placement: "cross-cpu" } }),
      aResult({ transport: "posix-mq", point: null, unsupported: "not mounted" }),
    ],
  });
  it("has a line for each transport measured alike, the series' own first, sizes ascending", () => {
    expect(sweepOf(run, aSeries({ transport: "pipe" }), "p50", false).lines).toEqual([
      { key: "pipe", label: "pipe", current: true, points: [{ message_bytes: 64, value: 3900 }] },
      {
        key: "fifo",
        label: "fifo",
        current: false,
        points: [
          { message_bytes: 64, value: 4000 },
          { message_bytes: 4096, value: 5000 },
        ],
      },
    ]);
  });
  it("has no line without the number that is shown", () => {
    expect(sweepOf(run, aSeries(), "throughput", false).lines).toEqual([]);
  });
  it("joins only what has the same parameters and was watched by the same probe", () => {
    const method = aSeries().methodology;
    const mixed = aRun({
      results: [
        size(64, "pipe", 1),
        aResult({ transport: "pipe", case: { message_bytes: 128, buffer_bytes: 65_536 } }),
        aResult({ transport: "pipe", case: { message_bytes: 256, rate_per_second: 1000 } }),
        aResult({ transport: "pipe", case: { message_bytes: 512, size_profile: "chromium-ipc" } }),
        aResult({ transport: "pipe", case: { message_bytes: 1024, total_bytes: 1_048_576 } }),
        aResult({
          transport: "pipe",
          case: { message_bytes: 2048 },
          methodology: { ...method, probe: "sched" },
        }),
      ],
    });
    const joined = (series: ReturnType<typeof aSeries>) =>
      sizesOf(sweepOf(mixed, series, "p50", false).lines);
    expect(joined(aSeries())).toEqual([64]);
    expect(joined(aSeries({ case: { buffer_bytes: 65_536 } }))).toEqual([128]);
    expect(joined(aSeries({ methodology: { ...method, probe: "sched" } }))).toEqual([2048]);
  });
  it("joins transfers of the same bytes, or else of the same number of messages", () => {
    const stream = (message_bytes: number, total_bytes: number) => ({
      case: { scenario: "stream", message_bytes, total_bytes },
    });
    const joined = (cases: ReturnType<typeof stream>[], own: ReturnType<typeof stream>) =>
      sizesOf(sweepOf(aRun({ results: cases.map(aResult) }), aSeries(own), "p50", false).lines);
    const bytes = [stream(64, 4096), stream(256, 4096), stream(1024, 4096)];
    const single = [stream(64, 64), stream(256, 256), stream(4096, 4096), stream(8192, 8192)];
    expect(joined([...bytes, ...single], stream(256, 4096))).toEqual([64, 256, 1024, 4096]);
    expect(joined([...bytes, ...single], stream(256, 256))).toEqual([64, 256, 4096, 8192]);
  });
  it("joins nothing that lost messages with anything that did not, and says what it left out", () => {
    const lost = aPoint({ lossy: true, latency_ns: latency(7) });
    const mixed = aRun({ results: [size(64, "pipe", 5), aResult({ transport: "udp", point: lost })] });
    const sweep = (isLossy: boolean) => {
      const { lines, leftOut } = sweepOf(mixed, aSeries(), "p50", isLossy);
      return { lines: lines.map(({ key }) => key), leftOut };
    };
    expect(sweep(false)).toEqual({ lines: ["pipe"], leftOut: ["udp"] });
    expect(sweep(true)).toEqual({ lines: ["udp"], leftOut: ["pipe"] });
  });
  it("leaves nothing out where another of the same size took its place", () => {
    const lost = aResult({ transport: "pipe", case: { message_bytes: 64 }, point: aPoint({ lossy: true }) });
    const run = aRun({ results: [size(64, "pipe", 5), lost] });
    expect(sweepOf(run, aSeries(), "p50", false).leftOut).toEqual([]);
  });
});

describe("sweepOf, of cases that were measured in several ways", () => {
  it("takes the way that is most like the series'", () => {
    const method = (change: object) => ({ ...aSeries().methodology, ...change });
    const of = (transport: string, p50: number, change: object) =>
      aResult({ transport, methodology: method(change), point: aPoint({ latency_ns: latency(p50) }) });
    const run = aRun({
      results: [
        of("ring-futex", 100, { wake: "always" }),
        of("ring-futex", 200, { wake: "if-asleep" }),
        of("ring-spin", 300, { storage: "warm" }),
        of("ring-spin", 400, { storage: "cleared" }),
      ],
    });
    const shown = (change: object) => {
      const series = aSeries({ transport: "ring-futex", methodology: method(change) });
      return sweepOf(run, series, "p50", false).lines.map(({ key, points }) => [
        key,
        points.map((at) => at.value),
      ]);
    };
    expect(shown({ wake: "if-asleep", storage: "cleared" })).toEqual([
      ["ring-futex", [200]],
      ["ring-spin", [400]],
    ]);
    expect(shown({ wake: "always", storage: "warm" })).toEqual([
      ["ring-futex", [100]],
      ["ring-spin", [300]],
    ]);
  });
});

describe("pointHeadline", () => {
  const headline = (kase: object, point: object) =>
    pointHeadline(aPoint(point), aSeries({ case: kase }).case);
  it("has the percentiles, and the time of a message where an operation counts them", () => {
    expect(headline({}, {})).toBe("p50 4.00 µs, p99 8.00 µs");
    const latency_ns = latency(22_104_870);
    expect(headline({ messages: 100_000 }, { latency_ns })).toBe(
      "p50 22.1 ms (221\u00a0ns\u00a0a\u00a0message), p99 44.2 ms",
    );
    expect(headline({ scenario: "stream" }, { bytes_per_second: 1_048_576 })).toBe(
      "1.00 MiB/s, p99 8.00 µs a transfer",
    );
  });
  it("begins with a loss, and counts only what was delivered then", () => {
    const lossy = { lossy: true, count: 10, delivered: 168_170, latency_ns: latency(1_702_911) };
    expect(headline({ messages: 100_000 }, lossy)).toBe(
      "lossy, p50 1.70 ms (101\u00a0ns\u00a0a\u00a0message\u00a0delivered), p99 3.41 ms",
    );
    expect(headline({}, { ...lossy, bytes_per_second: 1024 })).toBe(
      "lossy, 1.00 KiB/s, p99 3.41 ms a transfer",
    );
  });
});

describe("placementSeen", () => {
  it("names the processors of both ends and adds migrations up", () => {
    const ends = [
      { cpus_seen: [2], migrations: 1 },
      { cpus_seen: [3, 2], migrations: 0 },
    ];
    const detail = aPointDetail({ repetitions: [aRepetition({ ends }), aRepetition({ ends })] });
    expect(placementSeen(detail, aSeries().case)).toBe("CPU 2 and 2, 3, 2 migrations");
  });
  it("tells senders from receivers, however many there are", () => {
    const ends = [0, 1, 2, 3, 4, 5, 6].map((cpu) => ({ cpus_seen: [cpu], migrations: 1 }));
    const detail = aPointDetail({ repetitions: [aRepetition({ ends })] });
    const seen = (senders: number) =>
      placementSeen(detail, aSeries({ case: { senders, peers: 7 - senders } }).case);
    expect(seen(2)).toBe("from CPU 0, 1 to 5 different CPUs; 7 migrations");
    expect(seen(4)).toBe("from CPU 0, 1, 2, 3 to CPU 4, 5, 6; 7 migrations");
  });
  it("says what is not known", () => {
    expect(placementSeen(aPointDetail(), aSeries().case)).toBe("not known on this system");
    const pruned = { upload_at: "2026-11-14T11:00:00Z", histograms_at: null, points_at: null };
    expect(placementSeen(aPointDetail({ pruned, repetitions: [] }), aSeries().case)).toBe(
      "not kept any more",
    );
    const ends = [{ cpus_seen: [0] }, { cpus_seen: [1] }];
    expect(placementSeen(aPointDetail({ repetitions: [aRepetition({ ends })] }), aSeries().case)).toBe(
      "CPU 0 and 1, migrations not known",
    );
  });
});

describe("methodologyFacts", () => {
  it("tells the parameters, the probe and what was discarded, and is silent where there is nothing to tell", () => {
    const facts = ({ case: kase, methodology }: ReturnType<typeof aSeries>) =>
      new Map(methodologyFacts(kase, methodology, null).map(({ name, value }) => [name, value]));
    const plain = facts(aSeries());
    expect([plain.get("message"), plain.has("watched by"), plain.has("discarded")]).toEqual([
      "1 KiB",
      false,
      false,
    ]);
    const methodology = { ...aSeries().methodology, probe: "syscalls", discarded_repetitions: 1 };
    const probed = facts(aSeries({ case: { buffer_bytes: 65_536 }, methodology }));
    expect([probed.get("message"), probed.get("watched by"), probed.get("discarded")]).toEqual([
      "1 KiB, 64 KiB buffer",
      "the probe syscalls",
      "the first repetition",
    ]);
  });
  it("says in words who takes part, what a full channel does, when it wakes and what its memory went through", () => {
    const { case: kase, methodology } = aSeries({ case: { senders: 2, peers: 2, messages: 100_000 } });
    const told = (change: Partial<typeof methodology>) => {
      const facts = methodologyFacts(kase, { ...methodology, ...change }, null);
      const values = new Map(facts.map(({ name, value }) => [name, value]));
      return ["ends", "message", "when full", "wake-ups", "memory"].map((name) => values.get(name));
    };
    expect(told({ storage: "cleared", wake: "if-asleep" })).toEqual([
      "a process each, same CPU",
      "1 KiB, 100,000 messages, 2 senders, 2 receivers",
      "the sender waits",
      "when somebody sleeps",
      "new and zeroed, used by nobody before",
    ]);
    expect(told({ storage: "warm", wake: "always", on_full: "drop" }).slice(2)).toEqual([
      "the message is dropped",
      "after every message sent or taken, a system call each",
      "used before, by others that died at it",
    ]);
    expect(told({ storage: "of-another-day" }).slice(3)).toEqual([undefined, "of-another-day"]);
  });
  it("counts operations as they were made", () => {
    const { case: kase, methodology } = aSeries();
    const recorded = (count: number) =>
      methodologyFacts(kase, methodology, aPoint({ count })).find(({ name }) => name === "recorded")?.value;
    expect(recorded(2000)).toBe("200 operations × 10 repetitions");
    expect(recorded(10)).toBe("1 operation × 10 repetitions");
    expect(recorded(1999)).toBe("1,999 operations in 10 repetitions");
  });
});

describe("a series of another tool", () => {
  const series = anImportedSeries();
  const facts = (series: ReturnType<typeof anImportedSeries>) =>
    importFacts(series, series.latest).map(({ name, value }) => `${name}: ${value}`);
  it("has a headline without percentiles that few samples cannot tell", () => {
    expect(pointHeadline(anImportedPoint(), series.case)).toBe(
      "p50 4.00 µs (4.00\u00a0ns\u00a0an\u00a0operation)",
    );
    expect(pointHeadline(anImportedPoint({ count: 100 }), series.case)).toContain("p99 8.00 µs");
    const single = anImportedSeries({ case: { operations: null } }).case;
    expect(pointHeadline(anImportedPoint(), single)).toBe("p50 4.00 µs");
  });
  it("says once what times are of", () => {
    expect(importLede(series)).toBe(
      "Imported from a file of Google Benchmark (JSON). Times are of 1,000 operations.",
    );
  });
  it("does not reach further into the tail than its samples", () => {
    expect(toldTrend(series, 5, "p99")).toMatchObject({
      choices: ["p50"],
      shown: "p50",
      lines: [{ key: "p50" }],
    });
    expect(toldTrend(series, 50, "p999")).toMatchObject({
      shown: "p50",
      lines: [{ key: "p50" }, { key: "p90" }],
    });
    expect(toldTrend(series, 100, "p99").shown).toBe("p99");
    expect(toldTrend(aSeries(), 5, "p99").shown).toBe("p99");
  });
  it("has a methodology that says what is not told, and nothing of sizes", () => {
    expect(facts(series)).toEqual([
      "benchmark: BM_Pipe/64",
      "measured by: Google Benchmark",
      "time: of 1,000 operations",
      "recorded: 5 samples in 5 repetitions",
      "ends, messages: not told",
      "clock, warm-up: not told",
      "reading of the file: version 1",
    ]);
  });
  it("takes no part in a sweep over sizes", () => {
    const run = aRun({ results: [anImportedResult(), anImportedResult({ series_id: 2 })] });
    expect(sweepOf(run, series, "p50", false)).toEqual({ lines: [], leftOut: [] });
  });
});

describe("a series that is only stated", () => {
  const series = anImportedSeries({ transport: { title: "k6 (summary as JSON)" }, statistic: "median" });
  const stated = aStatedPoint({ center_ns: 7_450_000, low_ns: 7_000_000, high_ns: 8_000_000 });
  it("says whose word it is, and that nothing is made of it", () => {
    expect(statedHeadline(stated, "median", series.case)).toBe(
      "median 7.45 ms (7.45\u00a0µs\u00a0an\u00a0operation)",
    );
    expect(statedLede(series, "median")).toBe(
      "Stated by k6 as a median, without samples: shown, and compared with nothing. Times are of 1,000 operations.",
    );
    expect(importFacts(series, null)).toContainEqual({
      name: "statistic",
      value: "median, stated without samples",
    });
    expect(importFacts(series, null)).toContainEqual({ name: "stated by", value: "k6" });
  });
  it("is drawn as one line", () => {
    expect(statedLines("median").map(({ key, label }) => [key, label])).toEqual([["center", "median"]]);
  });
  it("goes through one figure a commit, as others do", () => {
    const early = aStatedPoint({ run_id: "a", measured_at: "2026-01-01T00:00:00Z" });
    const late = aStatedPoint({ run_id: "b", measured_at: "2026-01-02T00:00:00Z" });
    const points = seriesPoints([early, late], [aCommit()]);
    expect(drawnPoints(points, "commits").map(({ point, runs }) => [point.run_id, runs])).toEqual([["b", 2]]);
    expect(drawnPoints(points, "time")).toHaveLength(2);
    expect(pinnedPoint(points, points, "a")?.point.run_id).toBe("a");
  });
  it("has a table and a file of what it states, and no column of what it does not", () => {
    const point = { ...stated, quantiles: [{ q_ppm: 999_000, ns: 9_000_000 }], count: 200 };
    const table = statedTable(series, "median", seriesPoints([point], [aCommit()]));
    expect(table.fileName).toBe("lab-linux-1-google-benchmark-BM_Pipe-64-median-commits");
    expect(table.columns.map(({ csvName }) => csvName)).toEqual([
      "commit_sha",
      "commit_ordinal",
      "measured_at",
      "center_ns",
      "low_ns",
      "high_ns",
      "p999_ns",
      "count",
      "run_id",
    ]);
    expect(table.rows()[0]?.csv.slice(3, 8)).toEqual([7_450_000, 7_000_000, 8_000_000, 9_000_000, 200]);
    expect(statedTable(series, "median", seriesPoints([aStatedPoint()], [])).rows()[0]?.cells).toContain(
      "not told",
    );
  });
});
