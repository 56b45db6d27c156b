import { expect, it } from "vitest";
import { aReading } from "@/test/fixtures";
import { canariesOf, driftOf, environmentChanges, readingsOf, relativeLines } from "./canaries";

const wakes = (values: number[], environment_id = 1) =>
  values.map((wake) => aReading({ environment_id, p50_ns: { wake } }));

it("lists known canaries in order, then others", () => {
  const readings = [aReading({ p50_ns: { odd: 1, wake: 2 } }), aReading({ p50_ns: { "clock-cost": 3 } })];
  expect(canariesOf(readings)).toEqual(["clock-cost", "wake", "odd"]);
});

it("skips runs without a reading", () => {
  const readings = [...wakes([4100]), aReading({ p50_ns: {} }), ...wakes([4300])];
  expect(readingsOf(readings, "wake")).toEqual([
    { place: 0, p50_ns: 4100 },
    { place: 2, p50_ns: 4300 },
  ]);
});

it("finds environment changes", () => {
  expect(environmentChanges([...wakes([1, 1], 1), ...wakes([1, 1], 2), ...wakes([1], 1)])).toEqual([2, 4]);
});

it("compares the newest readings with those before", () => {
  const drift = driftOf(wakes([100, 100, 100, 100, 100, 104, 104, 104, 104, 104]), "wake");
  expect(drift).toMatchObject({ newest_ns: 104, before_ns: 100, before_count: 5 });
  expect(drift?.share).toBeCloseTo(0.04);
});

it("does not compare across environments or with too few readings", () => {
  const old = wakes([100, 100, 100, 100, 100], 1);
  expect(driftOf([...old, ...wakes([200, 200, 200, 200, 200], 2)], "wake")).toBeNull();
  expect(driftOf(wakes([1, 2, 3]), "wake")).toBeNull();
});

it("normalises every canary by its median", () => {
  const readings = [100, 100, 110].map((wake) => aReading({ p50_ns: { wake, "memcpy-64k": wake * 50 } }));
  expect(relativeLines(readings)).toEqual([
    [1, 1, 1.1],
    [1, 1, 1.1],
  ]);
});
