import { expect, it } from "vitest";
import { movedBy } from "./useRange";

it("a stretch moves along as a whole, up to the ends", () => {
  expect(movedBy([10, 20], 5, [0, 100])).toEqual([15, 25]);
  expect(movedBy([10, 20], -50, [0, 100])).toEqual([0, 10]);
  expect(movedBy([80, 95], 50, [0, 100])).toEqual([85, 100]);
});
