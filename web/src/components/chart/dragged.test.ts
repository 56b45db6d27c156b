import { expect, it } from "vitest";
import { barAfter, countAfter, countAt, draggedScale } from "./dragged";

it("the axis has headroom and whole counts", () => {
  expect(draggedScale([100, 400]).domain).toEqual([0, 500]);
  expect(draggedScale([]).ticks).toEqual([0, 1]);
});

it.each([
  [50, 250],
  [0, 0],
  [-20, 0],
  [170, 500],
  [0.13, 1],
])("a bar that is held %d px above its base has %d messages", (above_px, count) => {
  expect(countAt(above_px, 100, 500)).toBe(count);
});

it("keys change a bar, never below zero", () => {
  const after = (key: string, count: number) => countAfter(key, count, 400);
  expect([after("ArrowUp", 100), after("ArrowDown", 100)]).toEqual([110, 90]);
  expect([after("PageUp", 100), after("PageDown", 100)]).toEqual([180, 20]);
  expect([after("ArrowDown", 5), after("PageDown", 5), after("Delete", 5)]).toEqual([0, 0, 0]);
  expect(after("Enter", 100)).toBeNull();
  expect(countAfter("ArrowUp", 1, 2)).toBe(2);
});

it("keys move between bars and stop at the ends", () => {
  expect([barAfter("ArrowRight", 0, 3), barAfter("ArrowRight", 2, 3)]).toEqual([1, 2]);
  expect([barAfter("ArrowLeft", 1, 3), barAfter("ArrowLeft", 0, 3)]).toEqual([0, 0]);
  expect([barAfter("Home", 2, 3), barAfter("End", 0, 3), barAfter("ArrowUp", 1, 3)]).toEqual([0, 2, null]);
});
