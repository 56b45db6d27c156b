import { expect, it } from "vitest";
import { aReading } from "@/test/fixtures";
import { canariesOf, driftOf, environmentChanges, readingsOf, relativeLines } from "./canaries";

const wakes = (values: number[], environment_id = 1) =>
  values.map((wake) => aReading({ environment_id, p50_ns: { wake } }));

it("lists what was read, in the order of a report, and others after it", () => {
  const readings = [aReading({ p50_ns: { odd: 1, wake: 2 } }), aReading({ p50_ns: { "clock-cost": 3 } })];
  expect(canariesOf(readings)).toEqual(["clock-cost", "wake", "odd"]);
});

it("leaves a run out in which a canary was not read, and keeps the others in their places", () => {
  const readings = [...wakes([4100]), aReading({ p50_ns: {} }), ...wakes([4300])];
  expect(readingsOf(readings, "wake")).toEqual([
    { place: 0, p50_ns: 4100 },
    { place: 2, p50_ns: 4300 },
  ]);
});

it("finds where the environment became another one", () => {
  expect(environmentChanges([...wakes([1, 1], 1), ...wakes([1, 1], 2), ...wakes([1], 1)])).toEqual([2, 4]);
});

it("holds the newest readings against those before", () => {
  const drift = driftOf(wakes([100, 100, 100, 100, 100, 104, 104, 104, 104, 104]), "wake");
  expect(drift).toMatchObject({ newest_ns: 104, before_ns: 100, before_count: 5 });
  expect(drift?.share).toBeCloseTo(0.04);
});

it("compares nothing across environments, nor where too few were read", () => {
  const old = wakes([100, 100, 100, 100, 100], 1);
  expect(driftOf([...old, ...wakes([200, 200, 200, 200, 200], 2)], "wake")).toBeNull();
  expect(driftOf(wakes([1, 2, 3]), "wake")).toBeNull();
});

it("draws every canary around its own median", () => {
  const readings = [100, 100, 110].map((wake) => aReading({ p50_ns: { wake, "memcpy-64k": wake * 50 } }));
  expect(relativeLines(readings)).toEqual([
    [1, 1, 1.1],
    [1, 1, 1.1],
  ]);
});
