import { expect, it } from "vitest";
import { nearest, nearestLine, nearestOf } from "./nearest";

it("finds the nearest value, clamped to the ends", () => {
  const values = [1, 4, 5, 9];
  expect([-3, 1, 2, 3, 4.4, 4.6, 7, 7.1, 100].map((position) => values[nearest(values, position)])).toEqual([
    1, 1, 1, 4, 4, 5, 5, 9, 9,
  ]);
});

it("returns -1 for an empty list", () => {
  expect(nearest([], 3)).toBe(-1);
});

it("finds the entry with the nearest value", () => {
  const points = [
    [1, 70],
    [4, 60],
    [9, 50],
  ] as const;
  expect(nearestOf(points, ([x]) => x, 5)).toBe(1);
  expect(nearestOf(points, ([x]) => x, 8)).toBe(2);
});

it("finds the line under a position, also between its points", () => {
  const lines = [
    [
      [0, 0],
      [100, 0],
    ],
    [
      [0, 20],
      [100, 40],
    ],
    [[50, 100]],
  ] as const;
  expect(nearestLine(lines, [50, 27], 8)).toBe(1);
  expect(nearestLine(lines, [52, 97], 8)).toBe(2);
  expect(nearestLine(lines, [50, 60], 8)).toBe(-1);
  expect(nearestLine([], [0, 0], 8)).toBe(-1);
});
