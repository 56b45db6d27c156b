import { describe, expect, it } from "vitest";
import { captionOf, drawnLines, sweptLines } from "@/components/chart/swept";
import { fastestOf } from "@/lib/fastest";
import { crossingsOf, type Figure, linesOf } from "@/lib/sweep";
import { aSweep, aSweepLine } from "@/test/comparisons";
import { caveatsOf, crossoversOf, headlineOf, pairOf, usualPair } from "./answer";

function texts(chart: ReturnType<typeof aSweep>, figure: Figure = "p50") {
  const shown = linesOf(chart, "usual");
  const answer = fastestOf(shown, figure, figure === "p50" ? crossingsOf(chart.crossovers, shown) : []);
  return {
    headline: headlineOf(answer, "lab-1", figure).replaceAll("\u00a0", " "),
    caveats: caveatsOf(answer, { shown, hidden: [] }, figure),
  };
}

const PIPE = aSweepLine("pipe", { 64: 4000, 1024: 4200, 65536: 40_000 });
const MEMFD = aSweepLine("memfd", { 64: 9000, 1024: 9000, 65536: 9100 });
const CROSSING = { below: 0, above: 1, x: 19_456, from: 17_408, to: 22_528 };

const medians = (odd: number) => ({ 1: odd, 2: 3 - odd, 4: odd, 8: 3 - odd, 16: odd });
const carries = aSweepLine("tcp", { 64: 1 }, { point: { bytes_per_second: 9 } });
const lossy = aSweepLine("udp", { 64: 1 }, { point: { lossy: true } });

it.each<[string, ReturnType<typeof aSweep>, Figure, string]>([
  [
    "names the fastest transport up to a crossover, with its interval",
    aSweep([PIPE, MEMFD], { crossovers: [CROSSING] }),
    "p50",
    "pipe is fastest on lab-1 up to 19 KiB [17, 22], then memfd",
  ],
  [
    "names a transport that is fastest at all sizes",
    aSweep([aSweepLine("eventfd", { 64: 1, 65536: 2 }), PIPE]),
    "p50",
    "eventfd is fastest on lab-1 at all measured sizes, 64 B to 64 KiB",
  ],
  [
    "uses measured sizes without a crossover",
    aSweep([PIPE, MEMFD], { crossovers: [CROSSING] }),
    "p99",
    "pipe is fastest on lab-1 up to 1 KiB, memfd from 64 KiB",
  ],
  [
    "names the highest throughput",
    aSweep([carries]),
    "throughput",
    "tcp has the highest throughput on lab-1 at 64 B, the only measured size",
  ],
  [
    "counts many changes of the fastest",
    aSweep([aSweepLine("a", medians(1)), aSweepLine("b", medians(2))]),
    "p50",
    "The fastest transport on lab-1 changes 4 times from 1 B to 16 B: first a, last a",
  ],
  ["reports that nothing is comparable", aSweep([lossy]), "p50", "No comparable results on lab-1"],
])("the headline %s", (_, chart, figure, headline) => {
  expect(texts(chart, figure).headline).toBe(headline);
});

describe("caveats", () => {
  it("explain that crossovers are estimated only for p50", () => {
    const { caveats } = texts(aSweep([PIPE, MEMFD], { crossovers: [CROSSING] }), "p99");
    expect(caveats.join()).toContain("crossovers are estimated only for p50");
  });

  it("name intervals without a bound", () => {
    const { caveats } = texts(aSweep([PIPE, MEMFD], { crossovers: [{ ...CROSSING, to: null }] }));
    expect(caveats.join()).toContain("crossover of pipe and memfd has no upper bound");
  });

  it("name lines without results for larger sizes", () => {
    const { caveats } = texts(aSweep([aSweepLine("eventfd", { 64: 1 }), aSweepLine("memfd", { 262144: 9 })]));
    expect(caveats).toContain("eventfd has no results from 256 KiB.");
  });

  it("list loss, other environments, several commits and modified work trees", () => {
    const { caveats } = texts(
      aSweep([
        PIPE,
        lossy,
        aSweepLine(
          "old",
          { 64: 1 },
          { point: { environment_id: 2, commit_ordinal: 0, commit_sha: "2".repeat(40) } },
        ),
        aSweepLine("dirty", { 64: 9000 }, { point: { work_tree_modified: true } }),
      ]),
    );
    expect(caveats.join("\n")).toMatch(
      /\(crosses\): udp\.\n.*\(open points\): old\.\n.*2 commits.*\nModified or unbuilt: dirty\./,
    );
  });

  it("list hidden lines", () => {
    const [pipe, memfd] = linesOf(aSweep([PIPE, MEMFD]), "usual");
    if (pipe === undefined || memfd === undefined) throw new Error("there are two lines");
    const caveats = caveatsOf(fastestOf([pipe], "p50", []), { shown: [pipe], hidden: [memfd] }, "p50");
    expect(caveats[0]).toBe("Hidden, not ranked: memfd.");
  });
});

it("labels a crossover with the line that is faster below it", () => {
  const [below] = linesOf(aSweep([PIPE]), "usual");
  if (below === undefined) throw new Error("there is a line");
  expect(captionOf({ ...CROSSING, below })).toBe("pipe faster below 19 KiB [17, 22]");
});

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

it("lists the changes that the headline names, or all crossovers of two lines", () => {
  const { lines, crossings, answer } = page();
  const listed = (pair: Parameters<typeof crossoversOf>[2]) =>
    crossoversOf(answer, crossings, pair).map(({ below, above, crossing, between }) => [
      below.label,
      above.label,
      crossing?.x ?? null,
      between,
    ]);
  expect(listed(null)).toEqual([["pipe", "memfd", 5000, [64, 65_536]]]);
  expect(listed(pairOf(lines, "tcp.pipe"))).toEqual([["pipe", "tcp", 30_000, null]]);
  const withoutEstimate = fastestOf(lines, "p99", []);
  expect(crossoversOf(withoutEstimate, [], null)).toHaveLength(withoutEstimate.changes.length);
  expect(crossoversOf(withoutEstimate, [], null)[0]?.crossing).toBeNull();
});

it("accepts only pairs of two drawn lines", () => {
  expect(pairOf(page().lines, "pipe.pipe")).toBeNull();
  expect(pairOf(page("tcp").lines, "tcp.pipe")).toBeNull();
  expect(usualPair(page().answer, page().lines)).toBe("pipe.memfd");
  expect(usualPair(page("pipe").answer, page("pipe").lines)).toBe("memfd.tcp");
});

it("does not draw a hidden line, and keeps its style", () => {
  const { lines, answer } = page("pipe");
  const all = page().lines.map(({ style }) => style);
  expect(drawnLines(lines, answer, "p50").map(({ key, style, current }) => [key, style, current])).toEqual([
    ["memfd", all[1], true],
    ["tcp", all[2], false],
  ]);
});
