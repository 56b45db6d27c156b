import { describe, expect, it } from "vitest";
import { aSweep, aSweepLine } from "@/test/comparisons";
import { type Answer, fastestOf, isBetween, leadersOf } from "./fastest";
import { crossingsOf, linesOf } from "./sweep";

function answered(chart: ReturnType<typeof aSweep>, figure: "p50" | "p99" | "throughput" = "p50"): Answer {
  const lines = linesOf(chart, "usual");
  return fastestOf(lines, figure, crossingsOf(chart.crossovers, lines));
}

const spans = ({ stretches }: Answer) => stretches.map(({ line, first, last }) => [line.label, first, last]);

describe("the fastest", () => {
  it("changes at crossovers", () => {
    const answer = answered(
      aSweep(
        [
          aSweepLine("memfd", { 64: 9000, 1024: 9000, 65536: 9100 }),
          aSweepLine("pipe", { 64: 4000, 1024: 4200, 65536: 40_000 }),
        ],
        { crossovers: [{ below: 1, above: 0, x: 19_456, from: 17_000, to: 22_000 }] },
      ),
    );
    expect(spans(answer)).toEqual([
      ["pipe", 64, 1024],
      ["memfd", 65536, 65536],
    ]);
    expect(answer.changes.map(({ crossing }) => crossing?.x)).toEqual([19_456]);
    expect([...leadersOf(answer)]).toEqual(["pipe", "memfd"]);
  });

  it("does not change within the tolerance", () => {
    const answer = answered(
      aSweep([
        aSweepLine("eventfd", { 64: 4000, 1024: 4100, 4096: 4200 }),
        aSweepLine("ring", { 64: 4010, 1024: 4000, 4096: 4150 }),
      ]),
    );
    expect(spans(answer)).toEqual([["eventfd", 64, 4096]]);
  });

  it("interpolates between sizes of a line, but does not extrapolate", () => {
    const [sparse, dense] = [
      aSweepLine("sparse", { 64: 1000, 4096: 1000 }),
      aSweepLine("dense", { 64: 2000, 1024: 2000, 4096: 2000, 8192: 2000 }),
    ];
    expect(spans(answered(aSweep([sparse, dense])))).toEqual([
      ["sparse", 64, 4096],
      ["dense", 8192, 8192],
    ]);
    expect(isBetween(linesOf(aSweep([sparse, dense]), "usual"))).toBe(true);
    expect(isBetween(linesOf(aSweep([dense]), "usual"))).toBe(false);
  });

  it("excludes lossy points and other environments", () => {
    const answer = answered(
      aSweep([
        aSweepLine("udp", { 64: 100 }, { point: { lossy: true } }),
        aSweepLine("old", { 64: 100 }, { point: { environment_id: 2, commit_ordinal: 0 } }),
        aSweepLine("pipe", { 64: 4000 }),
      ]),
    );
    expect(spans(answer)).toEqual([["pipe", 64, 64]]);
    expect(answer.apart.map(({ label }) => label)).toEqual(["udp", "old"]);
  });

  it("has no crossover without common sizes", () => {
    const answer = answered(
      aSweep([aSweepLine("pipe", { 64: 4000 }), aSweepLine("memfd", { 262144: 9000, 1048576: 9100 })]),
    );
    expect(spans(answer)).toEqual([
      ["pipe", 64, 64],
      ["memfd", 262144, 1048576],
    ]);
    expect(answer.changes.map(({ crossing }) => crossing)).toEqual([null]);
  });

  it("is the highest rate for throughput", () => {
    const answer = answered(
      aSweep([
        aSweepLine("pipe", { 64: 4000 }, { point: { bytes_per_second: 100 } }),
        aSweepLine("tcp", { 64: 5000 }, { point: { bytes_per_second: 200 } }),
        aSweepLine("none", { 64: 1 }),
      ]),
      "throughput",
    );
    expect(spans(answer)).toEqual([["tcp", 64, 64]]);
  });

  it("is empty without results", () => {
    expect(answered(aSweep([]))).toEqual({ stretches: [], changes: [], apart: [] });
  });
});
