import { expect, it } from "vitest";
import { drawn, placeAt, placeX, SPARK } from "./sparklines";

it("finds the commit at a position", () => {
  for (const count of [1, 2, 60]) {
    for (let place = 0; place < count; place++) {
      expect(placeAt(placeX(place, count) / SPARK.width, count)).toBe(place);
    }
  }
});

it("clamps to the first and last commit", () => {
  expect(placeAt(-0.1, 60)).toBe(0);
  expect(placeAt(1.1, 60)).toBe(59);
});

it("joins over missing values, but not over breaks", () => {
  const moves = (path: string) => path.split("M").length - 1;
  expect(moves(drawn({ values: [100, null, 101, 102], breaks: [] }).path)).toBe(1);
  expect(moves(drawn({ values: [100, null, 101, 102], breaks: [2] }).path)).toBe(2);
  expect(drawn({ values: [null, null], breaks: [] }).path).toBe("");
});

it("draws 1 % noise small", () => {
  const { y } = drawn({ values: [1000, 1010, 1000], breaks: [] });
  expect(Math.abs(y(1010) - y(1000))).toBeLessThan(SPARK.height / 10);
});
