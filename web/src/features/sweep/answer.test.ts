import { describe, expect, it } from "vitest";
import { fastestOf } from "@/lib/fastest";
import { crossingsOf, type Figure, linesOf } from "@/lib/sweep";
import { aSweep, aSweepLine } from "@/test/sweeps";
import { captionOf, cautionsOf, headlineOf } from "./answer";

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

describe("the sentence", () => {
  it("says up to which size a transport is the fastest, with the interval of where it stops", () => {
    const { headline } = told(aSweep([PIPE, MEMFD], { crossovers: [CROSSING] }));
    expect(headline).toBe("Up to 19 KiB [17, 22] pipe is fastest on lab-1, from there memfd");
  });

  it("says so where one transport is the fastest at every size", () => {
    expect(told(aSweep([aSweepLine("eventfd", { 64: 1, 65536: 2 }), PIPE])).headline).toBe(
      "eventfd is fastest on lab-1 at every size measured, from 64 B to 64 KiB",
    );
  });

  it("says only what was measured where nothing was calculated", () => {
    const { headline, cautions } = told(aSweep([PIPE, MEMFD], { crossovers: [CROSSING] }), "p99");
    expect(headline).toBe("Up to 1 KiB pipe is fastest on lab-1, from 64 KiB memfd");
    expect(cautions.join()).toContain("Crossings are calculated for p50 alone");
  });

  it("says who carries the most where throughput is shown", () => {
    const lines = [aSweepLine("tcp", { 64: 1 }, { point: { bytes_per_second: 9 } })];
    expect(told(aSweep(lines), "throughput").headline).toBe(
      "tcp carries the most on lab-1 at 64 B, the only size measured",
    );
  });

  it("counts the changes where they are many", () => {
    const medians = (odd: number) => ({ 1: odd, 2: 3 - odd, 4: odd, 8: 3 - odd, 16: odd });
    const { headline } = told(aSweep([aSweepLine("a", medians(1)), aSweepLine("b", medians(2))]));
    expect(headline).toBe(
      "Who is fastest on lab-1 changes 4 times from 1 B to 16 B: a at first, a in the end",
    );
  });

  it("has no winner where nothing can be compared", () => {
    const udp = aSweepLine("udp", { 64: 1 }, { point: { lossy: true } });
    expect(told(aSweep([udp])).headline).toBe("Nothing that could be compared was measured on lab-1");
  });
});

describe("what to mind", () => {
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
        aSweepLine("udp", { 64: 1 }, { point: { lossy: true } }),
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
