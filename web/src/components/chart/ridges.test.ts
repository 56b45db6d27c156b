import { expect, it } from "vitest";
import { RIDGE, type Ridge, ridgePaths, ridgesOf } from "./ridges";

const COLUMNS = {
  from_ordinals: [7, 2],
  to_ordinals: [7, 2],
  first_bins: [80, 4],
  counts: [
    [3, -2, 1],
    [2, 2],
  ],
  lossy: [],
};

const heights = (path: string) => [...path.matchAll(/,([\d.]+)/g)].map(([, y]) => RIDGE.height - Number(y));
const ridge = (shares: [number, number][]): Ridge => ({ ordinal: 1, shares: new Map(shares) });

it("has the shares of each commit", () => {
  expect(ridgesOf(COLUMNS).map(({ ordinal, shares }) => [ordinal, [...shares]])).toEqual([
    [
      7,
      [
        [80, 0.75],
        [83, 0.25],
      ],
    ],
    [
      9,
      [
        [84, 0.5],
        [85, 0.5],
      ],
    ],
  ]);
});

it("leaves out lossy and empty distributions", () => {
  expect(ridgesOf({ ...COLUMNS, lossy: [0] }).map(({ ordinal }) => ordinal)).toEqual([9]);
  expect(ridgesOf({ ...COLUMNS, counts: [[], [1]] }).map(({ ordinal }) => ordinal)).toEqual([9]);
});

it("draws a wider distribution lower, on one axis", () => {
  const [narrow = "", wide = ""] = ridgePaths([
    ridge([[80, 1]]),
    ridge([
      [78, 0.5],
      [82, 0.5],
    ]),
  ]);
  expect(Math.max(...heights(narrow))).toBeCloseTo(RIDGE.height - 1);
  expect(Math.max(...heights(wide))).toBeCloseTo((RIDGE.height - 1) / 2, 0);
});

it("does not stretch the axis to single slow operations", () => {
  const [path = ""] = ridgePaths([
    ridge([
      [80, 0.9995],
      [200, 0.0005],
    ]),
  ]);
  expect(path.split("L").length).toBeLessThan(10);
});
