import { describe, expect, it, test } from "vitest";
import {
  axisLabelsOfNs,
  axisLabelsOfRate,
  counted,
  formatBytes,
  formatBytesExactly,
  formatCount,
  formatDividedNs,
  formatNs,
  formatRate,
  formatShare,
  formatValue,
  unbrokenTimes,
} from "./units";

describe("formatNs", () => {
  test.each([
    [0, "0 ns"],
    [7, "7 ns"],
    [83, "83 ns"],
    [999, "999 ns"],
    [1000, "1.00 µs"],
    [4020, "4.02 µs"],
    [4025, "4.03 µs"],
    [4000, "4.00 µs"],
    [1005, "1.01 µs"],
    [9999, "10.0 µs"],
    [12_249, "12.2 µs"],
    [12_250, "12.3 µs"],
    [999_499, "999 µs"],
    [999_500, "1.00 ms"],
    [999_600, "1.00 ms"],
    [1_234_567, "1.23 ms"],
    [999_999_999, "1.00 s"],
    [60_000_000_000, "60.0 s"],
    [1_234_000_000_000, "1,234 s"],
  ])("%i ns reads %s", (ns, text) => {
    expect(formatNs(ns)).toBe(text);
  });
});

describe("formatDividedNs", () => {
  test.each([
    [0.125, "0.125 ns"],
    [8.372, "8.37 ns"],
    [17.029_11, "17.0 ns"],
    [99.96, "100 ns"],
    [221.0487, "221 ns"],
    [999.6, "1.00 µs"],
    [4025.4, "4.03 µs"],
  ])("%f ns reads %s", (ns, text) => {
    expect(formatDividedNs(ns)).toBe(text);
  });
});

describe("formatBytes", () => {
  test.each([
    [0, "0 B"],
    [64, "64 B"],
    [1000, "1,000 B"],
    [1024, "1 KiB"],
    [1536, "1.5 KiB"],
    [5000, "4.88 KiB"],
    [65_536, "64 KiB"],
    [1_048_576, "1 MiB"],
    [7_340_032, "7 MiB"],
    [1_073_741_824, "1 GiB"],
  ])("%i bytes reads %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe("formatBytesExactly", () => {
  test.each([
    [0, "0 B"],
    [4096, "4 KiB"],
    [5000, "5,000 B"],
    [1_048_576, "1 MiB"],
    [1_049_600, "1,025 KiB"],
    [1_048_577, "1,048,577 B"],
  ])("%i bytes reads %s", (bytes, text) => {
    expect(formatBytesExactly(bytes)).toBe(text);
  });
});

describe("formatRate", () => {
  test.each([
    [0, "0 B/s"],
    [512, "512 B/s"],
    [1_048_576, "1.00 MiB/s"],
    [1_319_413_953, "1.23 GiB/s"],
    [1_073_400_000, "1.00 GiB/s"],
    [1_072_693_248, "1,023 MiB/s"],
  ])("%i bytes per second reads %s", (rate, text) => {
    expect(formatRate(rate)).toBe(text);
  });
});

describe("small things", () => {
  it("separates thousands", () => {
    expect(formatCount(1_234_567)).toBe("1,234,567");
  });
  it("counts with singular and plural", () => {
    expect(counted(1, "run")).toBe("1 run");
    expect(counted(2000, "run")).toBe("2,000 runs");
    expect(counted(3, "series", "series")).toBe("3 series");
  });
  it("never rounds a positive share to zero", () => {
    expect(formatShare(0)).toBe("0.00 %");
    expect(formatShare(0.00001)).toBe("< 0.01 %");
    expect(formatShare(0.206)).toBe("20.6 %");
  });
});

describe("axis labels", () => {
  it("have one unit and enough decimals", () => {
    expect(axisLabelsOfNs([3500, 4000, 4500])).toEqual(["3.5 µs", "4.0 µs", "4.5 µs"]);
    expect(axisLabelsOfNs([0, 500, 1000])).toEqual(["0.0 µs", "0.5 µs", "1.0 µs"]);
    expect(axisLabelsOfNs([100, 200])).toEqual(["100 ns", "200 ns"]);
    expect(axisLabelsOfRate([0, 1_048_576])).toEqual(["0 MiB/s", "1 MiB/s"]);
  });
});

it("keeps times and names unbroken", () => {
  expect(unbrokenTimes("p50 15.9 µs (15.9 ns per operation), p99 3.33 ms")).toBe(
    "p50\u00a015.9\u00a0µs (15.9\u00a0ns per operation), p99\u00a03.33\u00a0ms",
  );
});

it("writes stored values in the unit of their measure", () => {
  const of = (unit: string, operations = 1) => ({
    measure: { name: "m", unit, better: "lower" as const },
    operations,
  });
  expect(formatValue(4020, {})).toBe("4.02 µs");
  expect(formatValue(4020, { operations: 1000 })).toBe("4.02 µs");
  expect(formatValue(2048, of("B"))).toBe("2.00 KiB");
  expect(formatValue(5e9, of("B/s"))).toBe("4.66 GiB/s");
  expect(formatValue(12_345, of("ns", 1000))).toBe("12.3 ns");
  expect(formatValue(12_500, of("", 1000))).toBe("12.5");
  expect(formatValue(3_000, of("", 1000))).toBe("3");
  expect(formatValue(1_234_567_000, of("widgets", 1000))).toBe("1,234,567 widgets");
});
