import { expect, it } from "vitest";
import { type ComparisonSearch, isFolded, KINDS, pairsAsked, parseComparisonSearch } from "./search";

it("keeps valid values and drops others", () => {
  const search = { machine: "lab-1", verdict: "slower", q: 64, open: "unchanged", rows: 600 };
  expect(parseComparisonSearch(search)).toEqual({ ...search, q: "64" });
  expect(
    parseComparisonSearch({ machine: "No", verdict: "bad", q: {}, open: true, rows: "slower.x" }),
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
  expect(pairsAsked({ open: "unchanged" })).toEqual({
    limit: 100,
    kind: `${first},unchanged,not-comparable`,
  });
  expect(pairsAsked({ q: "tcp" })).toMatchObject({
    kind: `${first},unchanged,not-comparable`,
    q: "tcp",
  });
  expect(pairsAsked({ verdict: "inconclusive", rows: 600 })).toEqual({ limit: 600, kind: "inconclusive" });
  // More rows are available for one kind only.
  expect(pairsAsked({ rows: 600 })).toMatchObject({ limit: 100 });
});

it("folds cases that need no action, until they are asked for", () => {
  const folded = (search: ComparisonSearch) => KINDS.filter((kind) => isFolded(search, kind));
  expect(folded({})).toEqual(["inconclusive", "unchanged"]);
  expect(folded({ open: "inconclusive" })).toEqual(["unchanged"]);
  expect(folded({ verdict: "unchanged" })).toEqual(["inconclusive"]);
  expect(folded({ q: "tcp" })).toEqual([]);
});
