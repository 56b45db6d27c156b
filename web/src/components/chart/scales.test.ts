import { expect, test } from "vitest";
import { scaleLinear, scaleLog } from "./scales";

test("a linear scale places values evenly", () => {
  const scale = scaleLinear();
  scale.domain([10, 20]);
  scale.range([200, 0]);
  expect([10, 15, 20, 25].map(scale)).toEqual([200, 100, 0, -100]);
  expect([200, 100].map(scale.invert)).toEqual([10, 15]);
});

test("a logarithmic scale places factors evenly", () => {
  const scale = scaleLog();
  scale.domain([1, 10_000]);
  scale.range([0, 400]);
  expect(scale(100)).toBeCloseTo(200);
  expect(scale.invert(300)).toBeCloseTo(1_000);
});

test("a single value is in the middle", () => {
  const scale = scaleLinear();
  scale.domain([3, 3]);
  scale.range([0, 400]);
  expect(scale(3)).toBe(200);
});
