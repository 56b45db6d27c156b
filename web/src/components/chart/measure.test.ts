import { expect, it } from "vitest";
import { LATENCY, measureOf, RATE } from "./measure";

const of = (unit: string, operations?: number) => ({
  measure: { name: "m", unit, better: "lower" as const },
  ...(operations !== undefined && { operations }),
});

it("draws times as latencies and other measures in their unit", () => {
  expect(measureOf({ operations: 1000 })).toBe(LATENCY);
  const rate = measureOf(of("B/s"));
  expect(rate.format(2 ** 20)).toBe("1.00 MiB/s");
  expect(rate.linear([0, 3 * 2 ** 20]).ticks).toEqual(RATE.linear([0, 3 * 2 ** 20]).ticks);
  const count = measureOf(of("", 1000));
  expect(count.axisLabels([0, 2000, 4000])).toEqual(["0", "2", "4"]);
  expect(count.linear([0, 4000]).ticks).toEqual(LATENCY.linear([0, 4000]).ticks);
});
