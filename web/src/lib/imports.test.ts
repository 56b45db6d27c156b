import { describe, expect, it } from "vitest";
import {
  anImport,
  anImportedResult,
  anImportedSeries,
  aResult,
  aRun,
  aRunSummary,
  aSeries,
  aStatedPoint,
} from "@/test/fixtures";
import { caseName, headlineName, isSameCase } from "./cases";
import {
  byName,
  fileFacts,
  intervalOf,
  isImport,
  isImported,
  isImportInFull,
  nsPerOperation,
  quantileName,
  timeName,
  toolName,
} from "./imports";

describe("imports", () => {
  it("are recognised by transport, preset and build", () => {
    expect([anImportedSeries(), aSeries()].map(isImported)).toEqual([true, false]);
    expect([anImport(), aRunSummary()].map(isImport)).toEqual([true, false]);
    // A user's definition may have that name.
    expect(isImport(aRunSummary({ preset: "import" }))).toBe(false);
  });
  it("are recognised by the original file, or by all results", () => {
    const original = { name: "a.json", format: "k6", bytes: 9 };
    expect(isImportInFull(aRun({ original }))).toBe(true);
    expect(isImportInFull(aRun({ results: [anImportedResult()] }))).toBe(true);
    expect(isImportInFull(aRun({ results: [anImportedResult(), aResult()] }))).toBe(false);
    expect(isImportInFull(aRun())).toBe(false);
  });
});

describe("names", () => {
  const plain = anImportedSeries().case;
  const variant = anImportedSeries({ case: { variant: "after" } }).case;
  it("are those of the tool, without size, mode or placement", () => {
    expect([caseName(plain), headlineName(plain)]).toEqual(["BM_Pipe/64", "BM_Pipe/64"]);
    expect([caseName(variant), headlineName(variant)]).toEqual(["BM_Pipe/64, after", "BM_Pipe/64, after"]);
  });
  it("distinguish cases that are otherwise equal", () => {
    expect(isSameCase(plain, { ...plain })).toBe(true);
    expect(isSameCase(plain, { ...plain, benchmark: "BM_Pipe/4096" })).toBe(false);
    expect(isSameCase(plain, { ...plain, operations: null })).toBe(false);
    expect(isSameCase(plain, variant)).toBe(false);
  });
  it("of tools omit the file format", () => {
    const names = ["Google Benchmark (JSON)", "k6 (summary as JSON)", "Tool (new) 2", "Go"];
    expect(names.map((title) => toolName({ title }))).toEqual([
      "Google Benchmark",
      "k6",
      "Tool (new) 2",
      "Go",
    ]);
  });
  it("are in natural order", () => {
    expect(["BM/4096", "BM/64", "BM/512"].sort(byName)).toEqual(["BM/64", "BM/512", "BM/4096"]);
  });
  it("of quantiles are the usual ones", () => {
    expect([250_000, 900_000, 999_000, 999_900].map(quantileName)).toEqual(["p25", "p90", "p99.9", "p99.99"]);
  });
});

describe("times", () => {
  it("count the operations of the case", () => {
    expect([timeName({ operations: 1000 }), timeName({ operations: 1 }), timeName({})]).toEqual([
      "time of 1,000 operations",
      null,
      null,
    ]);
    expect([nsPerOperation(945, { operations: 1000 }), nsPerOperation(945, {})]).toEqual([0.945, null]);
  });
  it("have an interval if both ends are stated", () => {
    expect(intervalOf(aStatedPoint({ low_ns: 1, high_ns: 3 }))).toEqual([1, 3]);
    expect(intervalOf(aStatedPoint({ low_ns: 0, high_ns: 0 }))).toEqual([0, 0]);
    expect(intervalOf(aStatedPoint({ high_ns: 3 }))).toBeNull();
  });
});

it("lists each fact of a file once", () => {
  const facts = { cpu_mhz: "2445", host: "lab-1" };
  expect(fileFacts([anImportedResult({ facts }), anImportedResult({ facts })])).toEqual([
    { name: "cpu mhz", value: "2445" },
    { name: "host", value: "lab-1" },
  ]);
});
