import { expect, it } from "vitest";
import { drawnLines, sweptLines, withToggled } from "@/components/chart/swept";
import { fastestOf } from "@/lib/fastest";
import { crossingsOf, linesOf } from "@/lib/sweep";
import { aSweep, aSweepLine } from "@/test/sweeps";
import { markedCrossings, pairOf, usualPair } from "./data";

const CHART = aSweep(
  [
    aSweepLine("pipe", { 64: 4000, 65536: 40_000 }),
    aSweepLine("memfd", { 64: 9000, 65536: 9100 }),
    aSweepLine("tcp", { 64: 20_000, 65536: 30_000 }),
  ],
  {
    crossovers: [
      { below: 0, above: 1, x: 5000, from: 4000, to: 6000 },
      { below: 0, above: 2, x: 30_000, from: null, to: null },
    ],
  },
);

function page(hidden?: string) {
  const lines = sweptLines(linesOf(CHART, "usual"), hidden);
  const shown = lines.filter(({ isShown }) => isShown);
  const crossings = crossingsOf(CHART.crossovers, shown);
  return { lines, crossings, answer: fastestOf(shown, "p50", crossings) };
}

it("marks where the fastest changes, or all crossings of two lines, and only at p50", () => {
  const { lines, crossings, answer } = page();
  const xs = (pair: Parameters<typeof markedCrossings>[2], figure: "p50" | "p99" = "p50") =>
    markedCrossings(answer, crossings, pair, figure).map(({ x }) => x);
  expect(xs(null)).toEqual([5000]);
  expect(xs(pairOf(lines, "tcp.pipe"))).toEqual([30_000]);
  expect(xs(null, "p99")).toEqual([]);
});

it("a pair is of two lines that are drawn", () => {
  expect(pairOf(page().lines, "pipe.pipe")).toBeNull();
  expect(pairOf(page("tcp").lines, "tcp.pipe")).toBeNull();
  expect(usualPair(page().answer, page().lines)).toBe("pipe.memfd");
  expect(usualPair(page("pipe").answer, page("pipe").lines)).toBe("memfd.tcp");
});

it("a hidden line keeps its look for when it comes back, and is not drawn", () => {
  const { lines, answer } = page("pipe");
  expect(drawnLines(lines, answer, "p50").map(({ key, look, current }) => [key, look, current])).toEqual([
    ["memfd", 1, true],
    ["tcp", 2, false],
  ]);
  expect(withToggled("pipe", "tcp")).toBe("pipe.tcp");
  expect(withToggled("pipe", "pipe")).toBeUndefined();
});
