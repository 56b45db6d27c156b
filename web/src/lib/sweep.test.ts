import { describe, expect, it } from "vitest";
import { aSweep, aSweepLine } from "@/test/comparisons";
import { crossingsOf, figuresOf, linesOf, loadsOf } from "./sweep";

const SIZES = { 64: 5000, 1024: 5200 };

describe("loads", () => {
  it("differ by parameters, the most measured first", () => {
    const parameters = { ...aSweepLine("pipe", SIZES).parameters, total_bytes: "1048576" };
    const loads = loadsOf(
      aSweep([
        aSweepLine("node", { 64: 900 }, { methodology: { window: 256 } }),
        aSweepLine("pipe", SIZES),
        aSweepLine("tcp", { 64: 1 }, { parameters }),
        aSweepLine("pipe", { 64: 1 }, { methodology: { probe: "sched" } }),
      ]),
    );
    expect(loads.map(({ label }) => label)).toEqual(["", "probe sched", "1 MiB total", "window 256"]);
    expect(new Set(loads.map(({ key }) => key)).size).toBe(4);
  });
});

describe("lines", () => {
  const usual = (lines: Parameters<typeof aSweep>[0]) => linesOf(aSweep(lines), "usual");

  it("merge if only the warm-up differs by size", () => {
    const [pipe, ...others] = usual([
      aSweepLine("pipe", SIZES, { methodology: { warmup: 30 } }),
      aSweepLine("pipe", { 262144: 9000 }, { methodology: { warmup: 3 } }),
    ]);
    expect(others).toEqual([]);
    expect(pipe?.label).toBe("pipe");
    expect(pipe?.places).toEqual([0, 1]);
    expect(pipe?.points.map(({ x, place }) => [x, place])).toEqual([
      [64, 0],
      [1024, 0],
      [262144, 1],
    ]);
  });

  it("of one transport are named by their differences", () => {
    const lines = usual([
      aSweepLine("ring", SIZES, { methodology: { receive: "block" } }),
      aSweepLine("ring", SIZES, { methodology: { receive: "spin-then-block" } }),
      aSweepLine("pipe", SIZES),
      aSweepLine("pipe", SIZES, {
        parameters: { ...aSweepLine("pipe", SIZES).parameters, buffer_bytes: "1 x message_bytes" },
      }),
    ]);
    expect(lines.map(({ label }) => label)).toEqual([
      "ring, blocks",
      "ring, spins, then blocks",
      "pipe",
      "pipe, message-sized buffer",
    ]);
    expect(lines.map(({ key }) => key)).toEqual([
      "ring-blocks",
      "ring-spins-then-blocks",
      "pipe",
      "pipe-message-sized-buffer",
    ]);
  });

  it("mark lossy points and points of older environments", () => {
    const lines = usual([
      aSweepLine("pipe", { 64: 1 }, { point: { environment_id: 7, commit_ordinal: 9 } }),
      aSweepLine("tcp", { 64: 1 }, { point: { environment_id: 6, commit_ordinal: 8 } }),
      aSweepLine("udp", { 64: 1 }, { point: { environment_id: 7, commit_ordinal: 9, lossy: true } }),
    ]);
    expect(lines.map(({ points }) => points[0]?.apart)).toEqual([null, "environment", "lossy"]);
  });
});

it("crossings are between drawn lines, never of a line with itself", () => {
  const chart = aSweep([
    aSweepLine("pipe", { 64: 1 }, { methodology: { warmup: 30 } }),
    aSweepLine("pipe", { 1024: 3 }, { methodology: { warmup: 3 } }),
    aSweepLine("memfd", { 64: 2, 1024: 2 }),
  ]);
  const lines = linesOf(chart, "usual");
  const at = { x: 500, from: 400, to: null };
  const crossings = crossingsOf(
    [
      { below: 1, above: 2, ...at },
      { below: 0, above: 1, ...at },
      { below: 9, above: 2, ...at },
    ],
    lines,
  );
  expect(crossings.map(({ below, above, to }) => [below.label, above.label, to])).toEqual([
    ["pipe", "memfd", null],
  ]);
});

it("throughput is a figure only if measured", () => {
  const of = (bytes_per_second: number | null) =>
    figuresOf(linesOf(aSweep([aSweepLine("pipe", SIZES, { point: { bytes_per_second } })]), "usual"));
  expect(of(null)).toEqual(["p50", "p90", "p99"]);
  expect(of(1)).toContain("throughput");
});
