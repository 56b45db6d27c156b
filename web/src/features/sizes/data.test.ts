import { describe, expect, it } from "vitest";
import type { SizeProfile } from "@/api/types";
import { fastestOf } from "@/lib/fastest";
import { crossingsOf, linesOf } from "@/lib/sweep";
import { aSweep, aSweepLine } from "@/test/comparisons";
import { crossoverTexts, headlineOf, latencyNote, trafficNote } from "./data";

const PROFILE: SizeProfile = {
  slug: "some",
  title: "Some",
  source: "Somebody",
  sample_count: 100,
  note: "",
  buckets: [
    { from_bytes: 12, to_bytes: 48, count: 40 },
    { from_bytes: 49, to_bytes: 64, count: 51 },
    { from_bytes: 100, to_bytes: 199, count: 9 },
  ],
};

const plain = (text: string | undefined) => text?.replaceAll("\u00a0", " ");

it("has a headline with the size below which 90 % of messages are", () => {
  expect(plain(headlineOf(PROFILE))).toBe("91 % of messages are under 65 bytes");
  expect(headlineOf({ ...PROFILE, buckets: [], sample_count: 0 })).toBe("No messages");
});

describe("crossover sizes", () => {
  const chart = aSweep(
    [aSweepLine("pipe", { 16: 4000, 1024: 20_000 }), aSweepLine("memfd", { 16: 9000, 1024: 9000 })],
    { crossovers: [{ below: 0, above: 1, x: 150, from: 60, to: 180 }] },
  );
  const lines = linesOf(chart, "usual");
  const texts = (of: typeof chart) => {
    const own = linesOf(of, "usual");
    return crossoverTexts(PROFILE, fastestOf(own, "p50", crossingsOf(of.crossovers, own)), "lab-1").map(
      plain,
    );
  };

  it("are listed with the range of shares", () => {
    expect(texts(chart)).toEqual([
      "96 % of messages (75 % to 98 %) are smaller than 150 B [60, 180], where memfd overtakes pipe on lab-1.",
    ]);
  });

  it("are approximate if not calculated, and missing with a single fastest line", () => {
    expect(texts({ ...chart, crossovers: [] })).toEqual([
      "100 % of messages are smaller than 1 KiB. On lab-1, pipe is fastest up to 16 B, memfd from 1 KiB.",
    ]);
    expect(texts(aSweep([aSweepLine("pipe", { 16: 1, 1024: 2 })]))).toEqual([
      "pipe is fastest or tied at all measured sizes on lab-1.",
    ]);
  });

  it("show latency and share for a size", () => {
    expect(plain(latencyNote(lines, 20))).toBe(
      "Fastest at 16 B (nearest measured): pipe 4.00 µs, memfd 9.00 µs.",
    );
    expect(plain(trafficNote(PROFILE, 65))).toBe("91 % of messages are smaller.");
    expect(latencyNote([], 20)).toBe("");
  });
});
