import { describe, expect, it } from "vitest";
import type { Methodology, Reference, SeriesSummary } from "@/api/types";
import { aPoint, aSeries } from "@/test/fixtures";
import {
  cellText,
  publishedRows,
  publishedScaling,
  publishedSizes,
  rowsOfSet,
  setsOf,
  shownTable,
} from "./data";
import { ownColumns, ownFigure, protocolOf } from "./ours";
import { parseReferenceSearch } from "./search";

const ABOUT = {
  title: "Title",
  question: "Is it so?",
  preset: "quick",
  source: "Source",
  summary: "Summary",
  methodology: [],
  not_comparable_because: [],
  unit: "us" as const,
  statements: [],
};

const CHROMIUM: Reference = {
  ...ABOUT,
  slug: "chromium-mach-vs-fifo",
  columns: [
    { name: "host", is_number: false, unit: null },
    { name: "message_bytes", is_number: true, unit: "bytes" },
    { name: "transport", is_number: false, unit: null },
    { name: "p98_us", is_number: true, unit: "us" },
  ],
  rows: [
    ["laptop", 100, "mach-ool", 35],
    ["laptop", 100, "fifo", 112],
    ["desktop", 1024, "fifo", null],
    ["laptop", 1024, "fifo", 115],
  ],
};

const LIBIPC: Reference = {
  ...ABOUT,
  slug: "libipc-macos-backends",
  columns: [
    { name: "methodology", is_number: false, unit: null },
    { name: "topology", is_number: false, unit: null },
    { name: "peers", is_number: true, unit: null },
    { name: "backend", is_number: false, unit: null },
    { name: "waiters_fix", is_number: false, unit: null },
    { name: "us_per_message", is_number: true, unit: "us" },
  ],
  rows: [
    ["baseline", "channel-n-1", 2, "cpp-ulock", null, 2.84],
    ["baseline", "channel-n-1", 2, "rust", null, 0.049],
    ["post-optimization", "channel-n-1", 2, "cpp-ulock", "after", 0.58],
    ["post-optimization", "channel-n-1", 2, "cpp-ulock", "before", 2.8],
  ],
};

describe("a published table", () => {
  it("has a row per size, a column per host and transport, and empty cells for unpublished values", () => {
    const { columns, rows } = shownTable(CHROMIUM, publishedRows(CHROMIUM));
    expect(columns.map(({ label }) => label)).toEqual([
      "message",
      "laptop, mach-ool [µs]",
      "laptop, fifo [µs]",
      "desktop, fifo [µs]",
    ]);
    expect(rows.map(({ cells }) => cells)).toEqual([
      [100, 35, 112, null],
      [1024, null, 115, null],
    ]);
  });

  it("without a layout is shown as in its file", () => {
    const { columns, rows } = shownTable({ ...CHROMIUM, slug: "other" }, publishedRows(CHROMIUM));
    expect(columns.map(({ label }) => label)).toEqual(["host", "message", "transport", "p98 [µs]"]);
    expect(rows).toHaveLength(4);
  });

  it("is split into table sets", () => {
    expect(setsOf(LIBIPC)).toEqual(["baseline", "post-optimization"]);
    expect(rowsOfSet(LIBIPC, "baseline")).toHaveLength(2);
    expect(setsOf(CHROMIUM)).toEqual([]);
  });

  it("has lines in nanoseconds, without those for attempts", () => {
    expect(
      publishedSizes(publishedRows(CHROMIUM)).find(({ label }) => label === "fifo, laptop")?.points,
    ).toEqual([
      { message_bytes: 100, value: 112_000 },
      { message_bytes: 1024, value: 115_000 },
    ]);
    const lines = publishedScaling(publishedRows(LIBIPC), "channel-n-1");
    expect(lines.map(({ label }) => label)).toEqual([
      "cpp-ulock",
      "cpp-ulock, after the fix",
      "cpp-ulock, before the fix",
    ]);
  });

  it.each([
    [12, "percent", "12.0"],
    [0.022, "us", "0.022"],
    [9216, "bytes", "9 KiB"],
    [null, "us", "not published"],
    ["***", null, "***"],
  ] as const)("writes %s of %s as %s", (cell, unit, text) => {
    expect(cellText(cell, unit)).toBe(text);
  });
});

describe("our columns", () => {
  const fifo = (change: Partial<SeriesSummary["case"]>, sha = "1".repeat(40)) =>
    aSeries({
      transport: "fifo",
      case: { scenario: "stream", message_bytes: 100, total_bytes: 100, ...change },
      latest: aPoint({ commit_sha: sha }),
    });

  it("contain series that match published rows, with machine and commit", () => {
    const protocol = protocolOf(CHROMIUM);
    if (protocol === null) throw new Error("a preset follows it");
    const rows = publishedRows(CHROMIUM);
    const series = [fifo({}), fifo({ total_bytes: 1_048_576 }), fifo({ placement: "cross-cpu" })];
    const [column, ...others] = ownColumns(protocol, rows, series);
    expect(others).toEqual([]);
    expect(column).toMatchObject({ machine: "lab-linux-1", transport: "fifo", commit: "1".repeat(40) });
    expect(column?.series).toHaveLength(1);
    if (column === undefined) return;
    expect(ownFigure(protocol, column, rows.slice(0, 2))?.time_ns).toBe(6000);
    expect(ownFigure(protocol, column, rows.slice(3))).toBeNull();
  });

  it("have no commit if there are several", () => {
    const protocol = protocolOf(CHROMIUM);
    if (protocol === null) throw new Error("a preset follows it");
    const series = [fifo({}), fifo({ message_bytes: 1024, total_bytes: 1024 }, "2".repeat(40))];
    expect(ownColumns(protocol, publishedRows(CHROMIUM), series)[0]?.commit).toBeNull();
  });

  it("match rings that wait and wake as in the table set", () => {
    const protocol = protocolOf(LIBIPC);
    if (protocol === null) throw new Error("a preset follows it");
    const ring = (methodology: Partial<Methodology>, lossy = false) => {
      const series = aSeries({
        transport: "ring-futex",
        case: { scenario: "channel-n-1", senders: 2, messages: 1000, size_profile: "uniform-2-256" },
        latest: aPoint({ lossy }),
      });
      return { ...series, methodology: { ...series.methodology, storage: "warm", ...methodology } };
    };
    const [baseline, , after, before] = publishedRows(LIBIPC);
    const columns = (row: typeof baseline, series: SeriesSummary) =>
      ownColumns(protocol, row === undefined ? [] : [row], [series]).length;
    expect(columns(baseline, ring({ wake: "always" }))).toBe(1);
    expect(columns(baseline, ring({ wake: "if-asleep" }))).toBe(0);
    expect(columns(after, ring({ wake: "if-asleep" }))).toBe(1);
    expect(columns(before, ring({ wake: "always" }))).toBe(1);
    expect(columns(after, ring({ wake: "if-asleep", on_full: "drop" }))).toBe(0);
    expect(columns(after, ring({ wake: "if-asleep" }, true))).toBe(0);
  });
});

it("drops invalid values from the URL", () => {
  expect(parseReferenceSearch({ set: "fair", hidden: "x y" })).toEqual({ set: "fair" });
});
