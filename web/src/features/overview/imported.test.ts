import { describe, expect, it } from "vitest";
import {
  anImportedPoint,
  anImportedSeries,
  aPoint,
  aRun,
  aRunSummary,
  aSeries,
  aStatedPoint,
  latency,
} from "@/test/fixtures";
import { detailedRuns, latestMeasured } from "./data";
import { firstRows, importedGroups, importedText, ROWS_MAX, seriesOfGroups } from "./imported";

const k6 = { slug: "k6", title: "k6 (summary as JSON)" };
const pipe = anImportedSeries({ series_id: 1 });
const large = anImportedSeries({ series_id: 2, case: { benchmark: "BM_Pipe/4096" } });
const stated = anImportedSeries({
  series_id: 3,
  transport: k6,
  case: { benchmark: "http_req_duration", operations: null },
  statistic: "median",
});

describe("importedGroups", () => {
  it("group by tool and operations per time, benchmarks in natural order", () => {
    const single = anImportedSeries({ series_id: 4, case: { benchmark: "BM_Once", operations: null } });
    const groups = importedGroups([large, stated, single, pipe], ["lab-linux-1"]);
    expect(groups.map(({ tool, time, rows }) => [tool.slug, time, rows.map(({ name }) => name)])).toEqual([
      ["google-benchmark", null, ["BM_Once"]],
      ["google-benchmark", "time of 1,000 operations", ["BM_Pipe/64", "BM_Pipe/4096"]],
      ["k6", null, ["http_req_duration"]],
    ]);
  });
  it("mark stated values", () => {
    const [ofGoogle, ofK6] = importedGroups([pipe, stated], ["lab-linux-1", "lab-mac-2"]);
    expect(ofGoogle?.rows[0]?.cells).toMatchObject([
      { machine: "lab-linux-1", cell: { value_ns: 4000, statistic: null } },
      { machine: "lab-mac-2", cell: null },
    ]);
    expect(ofK6?.rows[0]?.cells[0]?.cell).toMatchObject({ value_ns: 4000, statistic: "median" });
  });
  it("show the newest of samples and stated values", () => {
    const older = anImportedSeries({
      series_id: 5,
      latest: anImportedPoint({ measured_at: "2026-01-01T00:00:00Z", latency_ns: latency(7) }),
    });
    const newer = anImportedSeries({
      series_id: 6,
      statistic: "mean",
      latest_summary: aStatedPoint({ measured_at: "2026-02-01T00:00:00Z", center_ns: 9 }),
    });
    for (const series of [
      [older, newer],
      [newer, older],
    ]) {
      const groups = importedGroups(series, ["lab-linux-1"]);
      expect(seriesOfGroups(groups).map(({ series_id }) => series_id)).toEqual([6]);
    }
  });
  it("are limited, and count the rows left out", () => {
    const many = Array.from({ length: ROWS_MAX + 3 }, (_, index) =>
      anImportedSeries({ series_id: index, case: { benchmark: `BM_${index}` } }),
    );
    const { groups, leftOut } = firstRows(importedGroups([...many, stated], ["lab-linux-1"]));
    expect([groups.map(({ rows }) => rows.length), leftOut]).toEqual([[ROWS_MAX, 1], 3]);
  });
  it("are counted by benchmark, not by series", () => {
    const both = [pipe, anImportedSeries({ series_id: 7, statistic: "median" }), stated];
    expect(importedText(both)).toBe("2 benchmarks imported from Google Benchmark and k6");
  });
});

describe("the newest measured run", () => {
  const measured = aSeries({ machine: "lab-mac-2", latest: aPoint({ run_id: "measured" }) });
  it("comes from the series if all newest runs are imports", () => {
    const run = aRun({ run: aRunSummary({ run_id: "measured", machine: "lab-mac-2" }) });
    expect(detailedRuns([], [measured])).toEqual([{ run_id: "measured", series_ids: [measured.series_id] }]);
    expect(latestMeasured([], [measured], new Map([["lab-mac-2", [run]]]))).toEqual({
      machine: "lab-mac-2",
      run: run.run,
    });
    expect(latestMeasured([], [], new Map())).toBeNull();
  });
});
