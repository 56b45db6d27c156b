import { describe, expect, it } from "vitest";
import { drawnLines, sweptLines, withToggled } from "@/components/chart/swept";
import { fastestOf } from "@/lib/fastest";
import { crossingsOf, type Figure, linesOf } from "@/lib/sweep";
import { aSweep, aSweepLine } from "@/test/comparisons";
import { captionOf, cautionsOf, headlineOf, markedCrossings, pairOf, usualPair } from "./answer";

function told(chart: ReturnType<typeof aSweep>, figure: Figure = "p50") {
  const shown = linesOf(chart, "usual");
  const answer = fastestOf(shown, figure, figure === "p50" ? crossingsOf(chart.crossovers, shown) : []);
  return {
    headline: headlineOf(answer, "lab-1", figure).replaceAll("\u00a0", " "),
    cautions: cautionsOf(answer, { shown, hidden: [] }, figure),
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
    "up to which size a transport is the fastest, with the interval of where it stops",
    aSweep([PIPE, MEMFD], { crossovers: [CROSSING] }),
    "p50",
    "Up to 19 KiB [17, 22] pipe is fastest on lab-1, from there memfd",
  ],
  [
    "that one transport is the fastest at every size",
    aSweep([aSweepLine("eventfd", { 64: 1, 65536: 2 }), PIPE]),
    "p50",
    "eventfd is fastest on lab-1 at every size measured, from 64 B to 64 KiB",
  ],
  [
    "only what was measured where nothing was calculated",
    aSweep([PIPE, MEMFD], { crossovers: [CROSSING] }),
    "p99",
    "Up to 1 KiB pipe is fastest on lab-1, from 64 KiB memfd",
  ],
  [
    "who carries the most where throughput is shown",
    aSweep([carries]),
    "throughput",
    "tcp carries the most on lab-1 at 64 B, the only size measured",
  ],
  [
    "how often the fastest changes where that is often",
    aSweep([aSweepLine("a", medians(1)), aSweepLine("b", medians(2))]),
    "p50",
    "Who is fastest on lab-1 changes 4 times from 1 B to 16 B: a at first, a in the end",
  ],
  [
    "that nothing can be compared",
    aSweep([lossy]),
    "p50",
    "Nothing that could be compared was measured on lab-1",
  ],
])("the sentence says %s", (_, chart, figure, headline) => {
  expect(told(chart, figure).headline).toBe(headline);
});

describe("what to mind", () => {
  it("is that other figures than p50 have no crossings", () => {
    const { cautions } = told(aSweep([PIPE, MEMFD], { crossovers: [CROSSING] }), "p99");
    expect(cautions.join()).toContain("Crossings are calculated for p50 alone");
  });

  it("is an interval that has no end within what was measured", () => {
    const { cautions } = told(aSweep([PIPE, MEMFD], { crossovers: [{ ...CROSSING, to: null }] }));
    expect(cautions.join()).toContain("pipe and memfd are equal is bounded not above");
  });

  it("is a line that stops being the fastest because nobody measured it further", () => {
    const { cautions } = told(aSweep([aSweepLine("eventfd", { 64: 1 }), aSweepLine("memfd", { 262144: 9 })]));
    expect(cautions).toContain("eventfd was not measured from 256 KiB on.");
  });

  it("is loss, another environment, several commits and a modified work tree", () => {
    const { cautions } = told(
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
    expect(cautions.join("\n")).toMatch(
      /crosses: udp\.\n.*nothing: old\.\n.*2 commits.*\n.*measured: dirty\./,
    );
  });

  it("is what is hidden", () => {
    const [pipe, memfd] = linesOf(aSweep([PIPE, MEMFD]), "usual");
    if (pipe === undefined || memfd === undefined) throw new Error("there are two lines");
    const cautions = cautionsOf(fastestOf([pipe], "p50", []), { shown: [pipe], hidden: [memfd] }, "p50");
    expect(cautions[0]).toBe("Hidden, so they take no part in this answer: memfd.");
  });
});

it("a mark names who wins below it", () => {
  const [below] = linesOf(aSweep([PIPE]), "usual");
  if (below === undefined) throw new Error("there is a line");
  expect(captionOf({ ...CROSSING, below })).toBe("pipe wins below 19 KiB [17, 22]");
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
