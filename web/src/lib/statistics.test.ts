// @vitest-environment node

import { readFile } from "node:fs/promises";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import {
  barsOf,
  boundsOfBin,
  countsByBin,
  environmentsOf,
  intervalText,
  numbersOf,
  shareBelow,
  sizeOf,
  supportedPercentiles,
} from "./statistics";

it("omits percentiles that equal the maximum", () => {
  const labels = (count: number) => supportedPercentiles(count).map(({ label }) => label);
  expect(labels(1)).toEqual(["min", "p25", "p50", "max"]);
  expect(labels(5)).toEqual(["min", "p25", "p50", "p75", "max"]);
  expect(labels(9)).not.toContain("p90");
  expect(labels(10)).toContain("p90");
  expect(labels(99)).not.toContain("p99");
  expect(labels(1000)).toHaveLength(9);
});

it.each([
  [19_456, "19 KiB"],
  [19_700, "19 KiB"],
  [1500, "1.5 KiB"],
  [900.4, "900 B"],
  [262_144, "256 KiB"],
  [1_170_000, "1.1 MiB"],
])("%d bytes read %s", (bytes, text) => {
  expect(sizeOf(bytes)).toBe(text);
});

it.each([
  [{ x: 19_456, from: 17_408, to: 22_528 }, "19 KiB [17, 22]"],
  [{ x: 1500, from: 900, to: 2100 }, "1.5 KiB [900 B, 2.1]"],
  // A narrow one takes the digits that it needs.
  [{ x: 29_836, from: 29_534, to: 30_809 }, "29.1 KiB [28.8, 30.1]"],
  [{ x: 19_456, from: null, to: 22_528 }, "19 KiB [unbounded, 22]"],
])("the interval of %j reads %s", (interval, text) => {
  expect(intervalText(interval)).toBe(text);
});

it("adds differences up", () => {
  expect(numbersOf([1000, 2, -3, 0])).toEqual([1000, 1002, 999, 999]);
  expect(numbersOf([])).toEqual([]);
});

it("leaves absent values out of the sum", () => {
  expect(numbersOf([null, 510, null, -5])).toEqual([null, 510, null, 505]);
});

it("assigns environments to points", () => {
  const begins = [
    { index: 0, environment_id: 7 },
    { index: 2, environment_id: 3 },
    { index: 3, environment_id: 7 },
  ];
  expect(environmentsOf(begins, 5)).toEqual([7, 7, 3, 7, 7]);
  expect(environmentsOf([], 0)).toEqual([]);
});

it("skips bins without operations", () => {
  expect([...countsByBin(80, [2, -3, 1, -11, 4])]).toEqual([
    [80, 2],
    [84, 1],
    [96, 4],
  ]);
  expect(boundsOfBin(80, 8)).toEqual([1024, 1024 * 2 ** (1 / 8)]);
});

it("matches the example in the documentation", async () => {
  const page = await readFile(new URL("../../../docs/reference/charts.md", import.meta.url), "utf8");
  const block = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
  const answer = JSON.parse(block("json"));
  const points = runInNewContext(`${block("js")}\npointsOf(answer.series[0])`, { answer });
  const [line] = answer.series;
  const ordinals = numbersOf(line.commit_ordinals);
  const p50s = numbersOf(line.latency_ns.p50);
  const p99s = numbersOf(line.latency_ns.p99);
  const environments = environmentsOf(line.environments, ordinals.length);
  expect(points).toHaveLength(4);
  expect(points).toEqual(
    ordinals.map((ordinal, place) => ({
      ordinal,
      p50: p50s[place],
      p99: p99s[place],
      environment_id: environments[place],
      lossy: line.lossy.includes(place),
    })),
  );
});

const BUCKETS = [
  { from_bytes: 12, to_bytes: 48, count: 40 },
  { from_bytes: 49, to_bytes: 64, count: 51 },
  { from_bytes: 100, to_bytes: 199, count: 9 },
];

it("draws buckets as bars with exclusive ends, and scales them", () => {
  expect(barsOf(BUCKETS).map(({ from, to, cumulative }) => [from, to, cumulative])).toEqual([
    [12, 49, 0.4],
    [49, 65, 0.91],
    [100, 200, 1],
  ]);
  expect(barsOf([{ from_bytes: 0, to_bytes: 15, count: 1 }], 2)).toMatchObject([{ from: 0, to: 32 }]);
});

it.each([
  [12, 0],
  [49, 0.4],
  [65, 0.91],
  [80, 0.91],
  [150, 0.955],
  [5000, 1],
])("assumes equal frequency within a bucket: below %d bytes, a share of %d", (bytes, share) => {
  expect(shareBelow(BUCKETS, bytes)).toBeCloseTo(share, 9);
  expect(shareBelow([], bytes)).toBe(0);
});
