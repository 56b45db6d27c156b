import { expect, it } from "vitest";
import { chosen, mostMeasured, placementsOf, scenariosOf } from "./choices";

const facet = (...values: [string, number][]) =>
  values.map(([value, series_count]) => ({ value, series_count }));

it("placements come in the order that people think of them, what another suite has last", () => {
  expect(placementsOf(facet(["free", 1], ["same-cpu", 1], ["elsewhere", 1], ["cross-cpu", 1]))).toEqual([
    "same-cpu",
    "cross-cpu",
    "free",
    "elsewhere",
  ]);
});

it("benchmarks of other tools are no scenario", () => {
  expect(scenariosOf(facet(["benchmark", 9], ["stream", 1], ["roundtrip", 1]))).toEqual([
    "roundtrip",
    "stream",
  ]);
});

it("what is asked for is chosen where there is such a thing, else the usual, else the first", () => {
  expect(chosen(["a", "b"], "b", "a")).toBe("b");
  expect(chosen(["a", "b"], "gone", undefined, "b")).toBe("b");
  expect(chosen(["a", "b"], "gone")).toBe("a");
  expect(chosen([], "a")).toBeUndefined();
  expect(mostMeasured(facet(["a", 1], ["b", 3], ["c", 2]))).toBe("b");
  expect(mostMeasured([])).toBeUndefined();
});
