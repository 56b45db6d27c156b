import { describe, expect, it } from "vitest";
import { aCommit, aPoint, aPointDetail, aRepetition, aResult, aRun, aSeries, latency } from "@/test/fixtures";
import {
  changeRules,
  drawnPoints,
  environmentChanges,
  environmentDifference,
  methodologyFacts,
  pinnedPoint,
  placementSeen,
  seriesPoints,
  sweepLines,
  trendLines,
  trendRow,
} from "./data";

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
  it("marks lost messages before a modified work tree", () => {
    const marked = (change: Parameters<typeof aPoint>[0]) =>
      trendRow({ point: aPoint(change), commit: null, runs: 1 }, "commits", "p99").mark;
    expect(marked({})).toBe("plain");
    expect(marked({ work_tree_modified: true })).toBe("modified");
    expect(marked({ work_tree_modified: true, lossy: true })).toBe("lossy");
  });
  it("stands at the commit's ordinal or the time of measuring", () => {
    const entry = { point: second, commit: null, runs: 1 };
    expect(trendRow(entry, "commits", "p99").x).toBe(2);
    expect(trendRow(entry, "time", "p99").x).toBe(Date.parse(second.measured_at));
  });
});

describe("environment changes", () => {
  const other = aRun({ environment: { stable: { "os.kernel": "6.12.9" }, conditions: {} } });
  it("lie between neighbours of different environments", () => {
    const moved = aPoint({
      commit_sha: "c",
      commit_ordinal: 4,
      environment_id: second.environment_id + 1,
    });
    const drawn = seriesPoints([first, second, moved], commits);
    const changes = environmentChanges(drawn);
    expect(changes).toHaveLength(1);
    expect(changeRules(changes, ["kernel"], "commits")).toEqual([{ x: 3, label: "kernel" }]);
  });
  it("say what changed", () => {
    expect(environmentDifference(aRun(), other)).toBe("os.kernel: 6.12.4 → 6.12.9");
    expect(environmentDifference(undefined, other)).toBe("environment changed");
  });
});

describe("sweepLines", () => {
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
    expect(sweepLines(run, aSeries({ transport: "pipe" }), "p50")).toEqual([
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
    expect(sweepLines(run, aSeries(), "throughput")).toEqual([]);
  });
});

describe("placementSeen", () => {
  it("names the processors of both ends and adds migrations up", () => {
    const ends = [
      { cpus_seen: [2], migrations: 1 },
      { cpus_seen: [3, 2], migrations: 0 },
    ];
    const detail = aPointDetail({ repetitions: [aRepetition({ ends }), aRepetition({ ends })] });
    expect(placementSeen(detail)).toBe("CPU 2 and 2, 3, 2 migrations");
  });
  it("says what is not known", () => {
    expect(placementSeen(aPointDetail())).toBe("not known on this system");
    const ends = [{ cpus_seen: [0] }, { cpus_seen: [1] }];
    expect(placementSeen(aPointDetail({ repetitions: [aRepetition({ ends })] }))).toBe(
      "CPU 0 and 1, migrations not known",
    );
  });
});

describe("methodologyFacts", () => {
  it("counts operations as they were made", () => {
    const { case: kase, methodology } = aSeries();
    const recorded = (count: number) =>
      methodologyFacts(kase, methodology, aPoint({ count })).find(({ name }) => name === "recorded")?.value;
    expect(recorded(2000)).toBe("200 operations × 10 repetitions");
    expect(recorded(1999)).toBe("1,999 operations in 10 repetitions");
  });
});
