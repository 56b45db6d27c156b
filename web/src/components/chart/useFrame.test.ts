import { expect, it } from "vitest";
import { parseFrameSearch, withTable } from "./useFrame";

it("keeps valid names of charts", () => {
  expect(parseFrameSearch({ tables: "sizes.Trend!.trend", embed: "trend" })).toEqual({
    tables: "sizes.trend",
    embed: "trend",
  });
  expect(parseFrameSearch({ tables: "<b>", embed: 7 })).toEqual({});
});

it("switches one chart to a table and back", () => {
  const both = withTable("trend", "sizes", true);
  expect(both).toBe("trend.sizes");
  expect(withTable(both, "trend", false)).toBe("sizes");
  expect(withTable("sizes", "sizes", false)).toBeUndefined();
});
