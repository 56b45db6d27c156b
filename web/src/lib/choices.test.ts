import { expect, it } from "vitest";
import { chosen, mostMeasured, placementsOf, scenariosOf } from "./choices";

const facet = (...values: [string, number][]) =>
  values.map(([value, series_count]) => ({ value, series_count }));

it("placements have a fixed order, unknown ones last", () => {
  expect(placementsOf(facet(["free", 1], ["same-cpu", 1], ["elsewhere", 1], ["cross-cpu", 1]))).toEqual([
    "same-cpu",
    "cross-cpu",
    "free",
    "elsewhere",
  ]);
});

it("imported benchmarks are not a scenario", () => {
  expect(scenariosOf(facet(["benchmark", 9], ["stream", 1], ["roundtrip", 1]))).toEqual([
    "roundtrip",
    "stream",
  ]);
});

it("the requested value is chosen if available, else the default, else the first", () => {
  expect(chosen(["a", "b"], "b", "a")).toBe("b");
  expect(chosen(["a", "b"], "gone", undefined, "b")).toBe("b");
  expect(chosen(["a", "b"], "gone")).toBe("a");
  expect(chosen([], "a")).toBeUndefined();
  expect(mostMeasured(facet(["a", 1], ["b", 3], ["c", 2]))).toBe("b");
  expect(mostMeasured([])).toBeUndefined();
});
