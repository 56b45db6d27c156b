import { describe, expect, it } from "vitest";
import type { SweepChart } from "@/api/types";
import { aSweep, aSweepLine } from "@/test/comparisons";
import { sentencesOf, usualPart } from "./sizes";

function textsOf(chart: SweepChart): string[] | null {
  const part = usualPart(chart);
  return part === null ? null : sentencesOf(chart, part).map((text) => text.replaceAll("\u00a0", " "));
}

/** A line in another place than two processes on one CPU. */
const lineIn = (
  place: { mode?: string; placement?: string },
  transport: string,
  medians: Record<number, number>,
  receive = "block",
) =>
  aSweepLine(transport, medians, {
    parameters: { mode: "2proc", placement: "same-cpu", peers: "1", scenario: "roundtrip", ...place },
    methodology: { receive },
  });
const across = (transport: string, medians: Record<number, number>, receive?: string) =>
  lineIn({ placement: "cross-cpu" }, transport, medians, receive);

const PIPE = aSweepLine("pipe", { 64: 4000, 1024: 4200, 65536: 40_000 });
const MEMFD = aSweepLine("memfd", { 64: 9000, 1024: 9000, 65536: 9100 });

describe("the fastest", () => {
  it("is named for small and for large messages", () => {
    expect(textsOf(aSweep([PIPE, MEMFD]))).toEqual([
      "Small messages: pipe is fastest, 4.00 µs at 64 B.",
      "Large messages: memfd is fastest, 9.10 µs at 64 KiB.",
    ]);
  });

  it("is named once if it is the same at all sizes", () => {
    expect(textsOf(aSweep([aSweepLine("eventfd", { 64: 1000, 65536: 20_000 }), PIPE]))?.[0]).toBe(
      "eventfd is fastest at all sizes: 1.00 µs at 64 B, 20.0 µs at 64 KiB.",
    );
  });

  it("names two tied transports, and counts more", () => {
    const tied = ["fifo", "splice", "tcp", "udp"].map((slug, place) =>
      aSweepLine(slug, { 64: 4010 + place, 1024: 9000, 65536: 90_000 }),
    );
    expect(textsOf(aSweep([PIPE, MEMFD, ...tied]))?.[0]).toBe(
      "Small messages: pipe is fastest, 4.00 µs at 64 B (tied: fifo, splice, 2 more).",
    );
  });

  it("is not a lossy transport", () => {
    const lossy = aSweepLine("udp", { 64: 100, 1024: 100 }, { point: { lossy: true } });
    expect(textsOf(aSweep([lossy, PIPE, MEMFD]))?.[0]).toContain("pipe is fastest");
  });
});

describe("spinning", () => {
  const spinning = across("ring-spin", { 64: 180, 1024: 300 }, "spin");
  const last = (...lines: SweepChart["lines"]) => textsOf(aSweep([PIPE, MEMFD, ...lines]))?.at(-1);

  it("is compared with the fastest transport that blocks across CPUs", () => {
    expect(last(spinning, across("ring-futex", { 64: 2520 }), across("pipe", { 64: 9000 }))).toBe(
      "Spinning on a second CPU: 180 ns at 64 B with ring-spin, 14 times as fast as ring-futex, which blocks (2.52 µs).",
    );
  });

  it("is compared at the smallest common size", () => {
    expect(last(spinning, across("ring-futex", { 1024: 3000 }))).toContain(
      "300 ns at 1 KiB with ring-spin, 10 times",
    );
  });

  it("can be slower or tied", () => {
    expect(last(spinning, across("ring-futex", { 64: 90 }))).toContain("2.0 times as slow as ring-futex");
    expect(last(spinning, across("ring-futex", { 64: 181 }))).toContain("tied with ring-futex, which blocks");
  });

  it("is left out without a common size, or without two CPUs", () => {
    expect(last(spinning)).toContain("Large messages");
    expect(last(spinning, across("ring-futex", { 4096: 2520 }))).toContain("Large messages");
    expect(last(aSweepLine("ring-spin", { 64: 180 }, { methodology: { receive: "spin" } }))).not.toContain(
      "second CPU",
    );
  });
});

describe("the drawn part", () => {
  it("is two processes on one CPU if measured, with its own crossovers", () => {
    const chart = aSweep(
      [across("tcp", { 64: 1, 1024: 2 }), lineIn({ mode: "2thread" }, "tcp", { 64: 1 }), PIPE, MEMFD],
      {
        crossovers: [
          { below: 2, above: 3, x: 19_456, from: 17_000, to: 22_000 },
          { below: 0, above: 1, x: 100, from: null, to: null },
        ],
      },
    );
    const part = usualPart(chart);
    expect(part).toMatchObject({ mode: "2proc", placement: "same-cpu" });
    expect(part?.lines.map(({ label }) => label)).toEqual(["pipe", "memfd"]);
    expect(part?.crossings.map(({ below, above }) => [below.label, above.label])).toEqual([
      ["pipe", "memfd"],
    ]);
  });

  it("is otherwise the placement with the most lines", () => {
    const free = (slug: string) => lineIn({ placement: "free" }, slug, { 64: 1000, 1024: 2000 });
    const chart = aSweep([across("tcp", { 64: 1000, 1024: 2000 }), free("pipe"), free("tcp")]);
    expect(usualPart(chart)?.placement).toBe("free");
  });

  it("needs two sizes", () => {
    expect(textsOf(aSweep([aSweepLine("pipe", { 64: 4000 })]))).toBeNull();
    expect(textsOf(aSweep([]))).toBeNull();
  });
});
