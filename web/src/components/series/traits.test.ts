import { describe, expect, it } from "vitest";
import type { SeriesSummary } from "@/api/types";
import { anImportedSeries, aSeries } from "@/test/fixtures";
import { nextSort, orderOf } from "./search";
import { entryName, listOf, sorted } from "./traits";

const described = (series: SeriesSummary) => series;
const list = (series: SeriesSummary[], columns?: string) => listOf(series, described, columns);

const SMALL = aSeries({ series_id: 1, case: { message_bytes: 64 } });
const LARGE = aSeries({ series_id: 2, case: { message_bytes: 4096, placement: "cross-cpu" } });
const TCP = aSeries({ series_id: 3, transport: "tcp" });

describe("columns", () => {
  it("are the traits that differ; the others are common", () => {
    const { shown, common } = list([SMALL, LARGE]);
    expect(shown).toEqual(["size", "placement"]);
    expect(common).toEqual(["pipe", "round trip", "two processes", SMALL.machine]);
  });
  it("can be selected, and repeat nothing above them", () => {
    const { shown, common } = list([SMALL, LARGE], "transport.size");
    expect(shown).toEqual(["transport", "size"]);
    expect(common).toEqual(["round trip", "two processes", SMALL.machine]);
  });
  it("are all known traits of a single row", () => {
    const { shown, common } = list([SMALL]);
    expect(shown).toEqual(["transport", "pattern", "size", "mode", "placement", "machine"]);
    expect(common).toEqual([]);
  });
  it("distinguish methodologies of one case", () => {
    const other = aSeries({ series_id: 2, methodology: { ...SMALL.methodology, window: 8 } });
    const { entries, shown } = list([aSeries(), other]);
    expect(shown).toEqual(["parameters"]);
    expect(entries.map(({ texts }) => texts.parameters)).toEqual(["window 1", "window 8"]);
  });
  it("separate shared parameters from those of single rows", () => {
    const route = (peers: number) => aSeries({ case: { messages: 1000, peers } });
    const { entries, common } = list([route(1), route(4)]);
    expect(entries.map(({ texts }) => texts.parameters)).toEqual(["1 receiver", "4 receivers"]);
    expect(common).toContain("1,000 messages");
  });
  it("are empty for traits that imports do not have", () => {
    const { entries } = list([SMALL, anImportedSeries()]);
    expect(entries[1]?.texts).toMatchObject({ pattern: "", size: "", mode: "", placement: "" });
    expect(entries[1]?.texts.benchmark).not.toBe("");
  });
});

it("names a row by its columns", () => {
  const { entries, shown } = list([SMALL, TCP]);
  expect(entries.map((entry) => entryName(entry, shown))).toEqual(["pipe, 64 B", "tcp, 1 KiB"]);
});

describe("the order", () => {
  const ids = (sort?: string, values: Record<number, number | null> = {}) =>
    sorted(list([TCP, LARGE, SMALL]).entries, sort, [
      { key: "newest", order: ({ series_id }) => values[series_id] ?? null },
    ]).map(({ row }) => row.series_id);
  it("is the given one by default, and for unknown columns", () => {
    expect(ids()).toEqual([3, 2, 1]);
    expect(ids("colour")).toEqual([3, 2, 1]);
  });
  it("is numeric for sizes", () => {
    expect(ids("size")).toEqual([1, 3, 2]);
    expect(ids("size-desc")).toEqual([2, 3, 1]);
  });
  it("has missing values last in both directions", () => {
    expect(ids("newest", { 1: 5, 3: 4 })).toEqual([3, 1, 2]);
    expect(ids("newest-desc", { 1: 5, 3: 4 })).toEqual([1, 3, 2]);
  });
  it("changes from ascending to descending to the default", () => {
    expect(nextSort(null, "size")).toBe("size");
    expect(nextSort(orderOf("size"), "size")).toBe("size-desc");
    expect(nextSort(orderOf("size-desc"), "size")).toBeUndefined();
    expect(nextSort(orderOf("size-desc"), "mode")).toBe("mode");
  });
});
