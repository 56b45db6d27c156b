import { expect, it } from "vitest";
import { freeCorner } from "./corner";

const AREA = { x: 0, y: 0, width: 1000, height: 300 };
const TOP_RIGHT = { isRight: true, isTop: true };
const line = (y: number, from = 0, to = 1000) =>
  Array.from({ length: 100 }, (_, index) => [from + (index * (to - from)) / 99, y] as const);

it("is at the top, on the side with more room", () => {
  expect(freeCorner(400, AREA, [])).toEqual(TOP_RIGHT);
  expect(freeCorner(700, AREA, [])).toEqual({ isRight: false, isTop: true });
});

it("avoids a step next to the crosshair", () => {
  expect(freeCorner(400, AREA, [line(250, 0, 400), line(40, 401, 1000)])).toEqual({
    isRight: false,
    isTop: true,
  });
  expect(freeCorner(100, AREA, [line(40)])).toEqual({ isRight: true, isTop: false });
});
