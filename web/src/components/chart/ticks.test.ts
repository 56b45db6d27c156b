import { describe, expect, it } from "vitest";
import { byteScale, linearScale, logScale, ordinalScale, timeScale } from "./ticks";

describe("linearScale", () => {
  it("labels round numbers within the axis", () => {
    const { domain, ticks } = linearScale([8_100, 12_800]);
    expect(ticks).toEqual([8_000, 9_000, 10_000, 11_000, 12_000, 13_000]);
    expect(domain[0]).toBeLessThan(8_100);
    expect(domain[1]).toBeGreaterThan(12_800);
  });
  it("labels round numbers of a unit", () => {
    const mebibyte = 2 ** 20;
    const { ticks } = linearScale([620 * mebibyte, 780 * mebibyte], 4, mebibyte);
    expect(ticks.map((tick) => tick / mebibyte)).toEqual([650, 700, 750]);
  });
  it("has a range for a flat line and stays above zero", () => {
    expect(linearScale([100, 100]).domain).toEqual([90, 110]);
    expect(linearScale([0, 5]).domain[0]).toBe(0);
  });
});

describe("ordinalScale", () => {
  it("labels whole numbers and both ends", () => {
    const { ticks } = ordinalScale([817, 900, 1036]);
    expect(ticks.at(0)).toBe(817);
    expect(ticks.at(-1)).toBe(1036);
    expect(ticks.every(Number.isInteger)).toBe(true);
  });
  it("centres a single commit", () => {
    expect(ordinalScale([3])).toEqual({ domain: [2, 4], ticks: [3] });
  });
  it("labels two neighbours once each", () => {
    expect(ordinalScale([3, 4]).ticks).toEqual([3, 4]);
  });
});

describe("timeScale", () => {
  it("labels both ends", () => {
    expect(timeScale([0, 300]).ticks).toEqual([0, 100, 200, 300]);
  });
});

describe("logScale", () => {
  it("labels 1, 2 and 5 of each decade while they are few", () => {
    expect(logScale([900, 60_000]).ticks).toEqual([1_000, 2_000, 5_000, 10_000, 20_000, 50_000]);
  });
  it("labels only powers over many decades", () => {
    expect(logScale([1, 1e6]).ticks).toEqual([1, 10, 100, 1e3, 1e4, 1e5, 1e6]);
    expect(logScale([1, 1e20], 6).ticks.length).toBeLessThanOrEqual(6);
  });
  it("gives one value room on both sides", () => {
    expect(logScale([100]).domain).toEqual([50, 200]);
  });
});

describe("byteScale", () => {
  it("labels evenly spaced powers of two", () => {
    expect(byteScale([64, 1024, 1_048_576], 4).ticks).toEqual([64, 1024, 16_384, 262_144]);
  });
  it("labels the one size there is", () => {
    expect(byteScale([1024]).ticks).toEqual([512, 1024, 2048]);
  });
});
