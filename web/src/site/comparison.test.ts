import { expect, it } from "vitest";
import { aComparison, aPair, aSide } from "@/test/comparisons";
import { aSeries } from "@/test/fixtures";
import { selected } from "./comparison";

/** A pair on a machine, with a change of its p50. */
function pair(machine: string, series_id: number, verdict: "regressed" | "no change", change: number) {
  const side = aSide({ machine, series_id });
  const rest = { detectable_change: 0.03 + change };
  return aPair({ verdict, change, base: side, head: side, ...rest });
}

const apart = aPair({
  verdict: "not comparable",
  base: null,
  head: aSide({ machine: "lab-2", series_id: 5 }),
  differences: [{ what: "delivered", base: "99 of 100", head: "98 of 100" }],
  reasons: [],
});

const pairs = [
  pair("lab-1", 1, "regressed", 0.1),
  pair("lab-1", 2, "regressed", 0.4),
  pair("lab-1", 3, "no change", 0.01),
  pair("lab-2", 4, "no change", 0.02),
  apart,
];
/** In the order of machines, as without a limit. */
const stored = aComparison(pairs, { pairs });

const idsOf = (found: typeof stored) => found.pairs.map(({ head }) => head?.series_id);

it("returns stored comparisons unchanged without filters", () => {
  expect(selected(stored, null, {})).toEqual(stored);
});

it("limits a comparison to a machine, and counts its pairs", () => {
  const found = selected(stored, null, { machine: "lab-2" });
  expect(idsOf(found)).toEqual([4, 5]);
  expect(found.counts).toMatchObject({ slower: 0, unchanged: 1, not_comparable: 1 });
  expect([found.base.case_count, found.head.case_count]).toEqual([1, 2]);
  expect(found.detectable_changes).toEqual([0.05, 0.05]);
  expect(found.not_compared).toEqual([
    {
      differences: [{ what: "delivered", base: "", head: "" }],
      reasons: [],
      pair_count: 1,
      machines: ["lab-2"],
    },
  ]);
});

it("searches the series of a comparison", () => {
  const series = [1, 2, 3, 4, 5].map((series_id) =>
    aSeries({ series_id, transport: series_id === 2 || series_id === 4 ? "tcp" : "pipe" }),
  );
  const found = selected(stored, series, { q: "tcp" });
  expect(idsOf(found)).toEqual([2, 4]);
  expect(found.counts).toMatchObject({ slower: 1, unchanged: 1, not_comparable: 0 });
  expect(found.detectable_changes).toEqual([0.05, 0.05]);
});

it("returns the largest changes of each kind, and counts all", () => {
  const found = selected(stored, null, { kind: "slower,unchanged", limit: "1" });
  expect(idsOf(found)).toEqual([2, 3]);
  expect(found.counts).toEqual(stored.counts);
  expect(idsOf(selected(stored, null, { kind: "not-comparable" }))).toEqual([5]);
});
