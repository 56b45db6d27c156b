import { expect, it } from "vitest";
import { parseSeriesSearch, parseTables, withTable } from "./search";

it("keeps what it knows and leaves out the rest", () => {
  expect(
    parseSeriesSearch({
      show: "p99",
      axis: "moon",
      run: "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b",
      tables: "sizes.x",
    }),
  ).toEqual({ show: "p99", run: "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b", tables: "sizes" });
});

it("switches one chart to a table and back", () => {
  const both = withTable("trend", "sizes", true);
  expect(parseTables(both)).toEqual(["trend", "sizes"]);
  expect(withTable(both, "trend", false)).toBe("sizes");
  expect(withTable("sizes", "sizes", false)).toBeUndefined();
});
