import { expect, it } from "vitest";
import { moreRows, parseComparisonSearch } from "./search";

it("keeps what is understood and leaves out what is not", () => {
  const search = { machine: "lab-1", verdict: "slower", q: 64, unchanged: true, rows: "unchanged.700" };
  expect(parseComparisonSearch(search)).toEqual({ ...search, q: "64" });
  expect(
    parseComparisonSearch({ machine: "No", verdict: "bad", q: {}, unchanged: "yes", rows: "slower.x" }),
  ).toEqual({});
});

it("knows of which kind more rows are shown", () => {
  expect(moreRows("unchanged.700")).toEqual({ kind: "unchanged", count: 700 });
  expect([undefined, "700", "odd.700", "slower.0", "slower.-1"].map(moreRows)).toEqual(Array(5).fill(null));
});
