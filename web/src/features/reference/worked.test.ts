import { describe, expect, it } from "vitest";
import type { EvidenceCell, EvidenceTable } from "@/api/types";
import { cellText, estimateOf, intervalOf, linesOf, markOf, scaleOf, tickText } from "./worked";

const of = (value: number, low: number | null = null, high: number | null = null): EvidenceCell => ({
  value,
  low,
  high,
  series_id: null,
  run_id: null,
});

const TABLE: EvidenceTable = {
  title: "Two processes",
  rows_are: "message_bytes",
  columns: [
    { name: "pipe", unit: "ns" },
    { name: "socketpair", unit: "ns" },
    { name: "pipe as fast as socketpair", unit: "times" },
  ],
  rows: [
    { name: "64 B", message_bytes: 64, cells: [of(5000), of(10_000), of(2, 1.9, 2.2)] },
    { name: "1 KiB", message_bytes: 1024, cells: [of(9000), null, null] },
  ],
};

describe("figures", () => {
  it("are written with their unit", () => {
    const text = (value: number, unit: EvidenceTable["columns"][number]["unit"]) =>
      cellText(of(value), { name: "", unit }).replaceAll("\u00a0", " ");
    expect([text(93.4, "ns"), text(1_610_612_736, "bytes_per_second"), text(0.05, "share")]).toEqual([
      "93.4 ns",
      "1.50 GiB/s",
      "5.0 %",
    ]);
    expect([text(1.444, "times"), text(12.34, "times"), text(113.2, "times")]).toEqual([
      "× 1.44",
      "× 12.3",
      "× 113",
    ]);
  });

  it("have an interval if there is one", () => {
    expect([intervalOf(of(2, 1.9, 2.2)), intervalOf(of(2))]).toEqual(["[1.90, 2.20]", ""]);
  });

  it("are highlighted if the interval excludes 1", () => {
    expect([of(2, 1.9, 2.2), of(0.5, 0.4, 0.6), of(1.1, 0.9, 1.3), of(2)].map(markOf)).toEqual([
      "elsewhere",
      "elsewhere",
      "inconclusive",
      "inconclusive",
    ]);
  });
});

describe("a table", () => {
  it("has a line for each quantity over its sizes", () => {
    expect(linesOf(TABLE)).toEqual([
      {
        key: "pipe",
        label: "pipe",
        points: [
          { message_bytes: 64, value: 5000 },
          { message_bytes: 1024, value: 9000 },
        ],
      },
      { key: "socketpair", label: "socketpair", points: [{ message_bytes: 64, value: 10_000 }] },
    ]);
    expect(linesOf({ ...TABLE, rows_are: "topology" })).toEqual([]);
  });

  it("has a symmetric log2 axis", () => {
    const [twice, half] = [estimateOf(of(2, 1, 4)), estimateOf(of(0.5))];
    expect([twice.change, twice.interval, half.change, half.interval]).toEqual([1, [0, 2], -1, null]);
    expect(scaleOf(TABLE)?.limit).toBe(2);
    expect(scaleOf({ ...TABLE, columns: TABLE.columns.slice(0, 2) })).toBeNull();
    expect([-2, -1, 0, 0.5, 2].map(tickText)).toEqual(["÷ 4", "÷ 2", "1", "× 1.4", "× 4"]);
  });
});
