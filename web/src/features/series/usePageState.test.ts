import { expect, it } from "vitest";
import { keptRange, movedBy } from "./usePageState";

it("moves a range as a whole, up to the ends", () => {
  expect(movedBy([10, 20], 5, [0, 100])).toEqual([15, 25]);
  expect(movedBy([10, 20], -50, [0, 100])).toEqual([0, 10]);
  expect(movedBy([80, 95], 50, [0, 100])).toEqual([85, 100]);
});

it("limits a range to the extent, and drops it if it covers all", () => {
  expect(keptRange([-5, 40], [0, 100])).toEqual([0, 40]);
  expect(keptRange([-5, 140], [0, 100])).toBeNull();
  expect(keptRange(null, [0, 100])).toBeNull();
});
