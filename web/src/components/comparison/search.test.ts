import { expect, it } from "vitest";
import { pairsAsked, parseComparisonSearch } from "./search";

it("keeps valid values and drops others", () => {
  const search = { machine: "lab-1", verdict: "slower", q: 64, unchanged: true, rows: 600 };
  expect(parseComparisonSearch(search)).toEqual({ ...search, q: "64" });
  expect(
    parseComparisonSearch({ machine: "No", verdict: "bad", q: {}, unchanged: "yes", rows: "slower.x" }),
  ).toEqual({});
  expect([7, 100, 250, 9_000].map((rows) => parseComparisonSearch({ rows }).rows)).toEqual([
    undefined,
    undefined,
    250,
    600,
  ]);
});

it("requests the default rows, and more of one kind on demand", () => {
  const first = "slower,faster,elsewhere,inconclusive";
  expect(pairsAsked({})).toEqual({ limit: 100, kind: `${first},not-comparable` });
  expect(pairsAsked({ unchanged: true })).toEqual({ limit: 100, kind: `${first},unchanged,not-comparable` });
  expect(pairsAsked({ q: "tcp" })).toMatchObject({ kind: `${first},unchanged,not-comparable`, q: "tcp" });
  expect(pairsAsked({ verdict: "inconclusive", rows: 600 })).toEqual({ limit: 600, kind: "inconclusive" });
  // More rows are available for one kind only.
  expect(pairsAsked({ rows: 600 })).toMatchObject({ limit: 100 });
});
