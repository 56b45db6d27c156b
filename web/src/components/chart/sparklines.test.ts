import { expect, it } from "vitest";
import { MARKS } from "@/lib/changes";
import { drawn, markPath, placeAt, placeX, SPARK } from "./sparklines";

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

it("has a shape for each kind of change and direction", () => {
  const at = { x: 50, from: 20, top: 0 };
  const shapes = MARKS.flatMap((mark) =>
    (["regressed", "improved"] as const).map((direction) => markPath({ ...at, mark, direction })),
  );
  // A known state and a change of the tail have no direction.
  expect(new Set(shapes).size).toBe(8);
  expect(markPath({ ...at, mark: "drift", direction: "regressed" })).toBe("M20,6H50V0z");
  // A short drift stays visible.
  expect(markPath({ ...at, from: 49, mark: "drift", direction: "improved" })).toBe("M38,0H50V6z");
});
