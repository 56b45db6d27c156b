import { expect, it } from "vitest";
import { keptRange } from "./usePageState";

it("limits a range to the extent, and drops it if it covers all", () => {
  expect(keptRange([-5, 40], [0, 100])).toEqual([0, 40]);
  expect(keptRange([-5, 140], [0, 100])).toBeNull();
  expect(keptRange(null, [0, 100])).toBeNull();
});
