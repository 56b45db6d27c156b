import { describe, expect, it } from "vitest";
import { type Estimate, forestPosition, forestScale } from "./forest";

const at = (change: number): Estimate => ({ change, interval: [change - 0.01, change + 0.01], least: 0.01 });

describe("the axis of a forest plot", () => {
  it("is symmetrical, round, and includes every interval", () => {
    expect(forestScale([at(0.154), at(-0.03)])).toEqual({ limit: 0.2, ticks: [-0.2, -0.1, 0, 0.1, 0.2] });
    expect(forestScale([at(-0.154)]).limit).toBe(0.2);
    expect(forestScale([]).limit).toBe(0.02);
  });

  it("clips outliers", () => {
    const scale = forestScale([at(0.02), at(0.03), at(0.02), at(0.03), at(9)]);
    expect(scale.limit).toBe(0.2);
    expect(forestPosition(9, scale)).toEqual({ percent: 92, isBeyond: true });
  });

  it("has slower on the right and zero in the middle", () => {
    const scale = forestScale([at(0.09)]);
    expect(forestPosition(0, scale)).toEqual({ percent: 50, isBeyond: false });
    expect(forestPosition(0.05, scale).percent).toBe(71);
    expect(forestPosition(-0.1, scale)).toEqual({ percent: 8, isBeyond: false });
  });
});
