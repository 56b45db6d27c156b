import { expect, it } from "vitest";
import { drawn, placeAt, placeX, SPARK } from "./sparklines";

it("finds the commit again that stands at a position", () => {
  for (const count of [1, 2, 60]) {
    for (let place = 0; place < count; place++) {
      expect(placeAt(placeX(place, count) / SPARK.width, count)).toBe(place);
    }
  }
});

it("takes the first or the last commit beside the line", () => {
  expect(placeAt(-0.1, 60)).toBe(0);
  expect(placeAt(1.1, 60)).toBe(59);
});

it("joins over commits without a value, and not over a break", () => {
  const moves = (path: string) => path.split("M").length - 1;
  expect(moves(drawn({ values: [100, null, 101, 102], breaks: [] }).path)).toBe(1);
  expect(moves(drawn({ values: [100, null, 101, 102], breaks: [2] }).path)).toBe(2);
  expect(drawn({ values: [null, null], breaks: [] }).path).toBe("");
});

it("keeps ordinary noise small: one percent is a small part of the height", () => {
  const { y } = drawn({ values: [1000, 1010, 1000], breaks: [] });
  expect(Math.abs(y(1010) - y(1000))).toBeLessThan(SPARK.height / 10);
});
