import { describe, expect, it } from "vitest";
import { anAdviceGroup, aRankedTransport } from "@/test/comparisons";
import {
  barsOf,
  behindText,
  belowTexts,
  groupName,
  headlineOf,
  keyOf,
  longerText,
  medianOf,
  messagesText,
  nameIn,
  pointFor,
  STEPS,
  stepOf,
  timesText,
} from "./data";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const BUCKETS = [
  { from_bytes: 0, to_bytes: 15, count: 10 },
  { from_bytes: 16, to_bytes: 63, count: 30 },
];

describe("messages", () => {
  it("are bars that end where the next sizes begin, and move along when they are longer", () => {
    expect(barsOf(BUCKETS).map(({ from, to, cumulative }) => [from, to, cumulative])).toEqual([
      [0, 16, 0.25],
      [16, 64, 1],
    ]);
    expect(barsOf(BUCKETS, 2).map(({ from, to }) => [from, to])).toEqual([
      [0, 32],
      [32, 128],
    ]);
  });

  it("are told of in a few words", () => {
    expect(plain(messagesText(BUCKETS))).toBe("40 messages of 0 B to 63 B");
    expect(plain(messagesText([{ from_bytes: 64, to_bytes: 64, count: 1 }]))).toBe("1 message of 64 B");
    expect(messagesText([{ from_bytes: 64, to_bytes: 64, count: 0 }])).toBe("no messages");
    expect([1, 1.5, 0.25].map(timesText)).toEqual(["as they are", "× 1.5", "÷ 4"]);
    expect([2, 16, 0.5, 0.125].map(longerText)).toEqual([
      "twice as long",
      "16 times as long",
      "half as long",
      "1/8 as long",
    ]);
  });

  it("have a place on the slider, whatever their length is", () => {
    expect([STEPS[0], STEPS.at(-1)]).toEqual([1 / 16, 1024]);
    expect([1, 1.5, 2, 1.9, 5000].map((times) => STEPS[stepOf(times)])).toEqual([1, 1.5, 2, 2, 1024]);
  });

  it("lead to what was measured at the size that is nearest to most of them", () => {
    expect(medianOf(BUCKETS)).toBe(32);
    expect(pointFor(aRankedTransport("pipe", 1), 32)?.message_bytes).toBe(16);
    expect(pointFor(aRankedTransport("pipe", 1), 500)?.message_bytes).toBe(1024);
  });
});

describe("transports", () => {
  const spinning = aRankedTransport("ring", 400, { told_apart: { receive: "spin", warmup: "50" } });
  const blocking = aRankedTransport("ring", 900, { told_apart: { receive: "block", warmup: "9" } });
  const pipe = aRankedTransport("pipe", 4000, { told_apart: { receive: "block", warmup: "9" } });

  it("are called by what tells them from others of their name, and by no more", () => {
    const group = anAdviceGroup([spinning, blocking, pipe]);
    expect(group.ranking.map((line) => nameIn(group, line))).toEqual(["ring, spins", "ring, blocks", "pipe"]);
    expect(new Set(group.ranking.map(keyOf)).size).toBe(3);
  });

  it("are behind the first in percent, and from twice as long on as a multiple", () => {
    const behind = (ratio: number, low: number | null, high: number | null) =>
      Object.values(behindText({ ratio, low, high, is_sure: true })).join(" ");
    expect(behind(1.12, 1.08, 1.17)).toBe("+12 % [8.0, 17]");
    expect(behind(1.01, 0.98, 1.04)).toBe("+1.0 % [−2.0, 4.0]");
    expect(behind(4.04, 3.98, 4.1)).toBe("× 4.0 [4.0, 4.1]");
    expect(behind(4, null, null)).toBe("× 4.0 ");
  });

  it("say which messages are shorter than what was measured, together where all of them agree", () => {
    const short = { below_measured_share: 0.3 };
    const one = aRankedTransport("pipe", 1, short);
    const other = aRankedTransport("tcp", 2, short);
    expect(belowTexts(anAdviceGroup([one, other])).map(plain)).toEqual([
      "30 % of these messages are shorter than 16 B, the shortest that was measured.",
    ]);
    expect(belowTexts(anAdviceGroup([one, aRankedTransport("tcp", 2)])).map(plain)).toEqual([
      "30 % of these messages are shorter than 16 B, the shortest that was measured of pipe.",
    ]);
  });
});

describe("the page's sentence", () => {
  const of = (slug: string, machine: string) => anAdviceGroup([aRankedTransport(slug, 1)], { machine });

  it("is the answer's first where there is one place, and else whether all places agree", () => {
    expect(headlineOf({ groups: [of("pipe", "lab-1")] })).toBe(
      "Pipe: 4.00 µs at the median, there and back.",
    );
    expect(headlineOf({ groups: [of("pipe", "lab-1"), of("pipe", "lab-2")] })).toMatch(
      /comes first for these messages on both machines\.$/,
    );
    expect(headlineOf({ groups: [of("pipe", "lab-1"), of("tcp", "lab-2")] })).toMatch(
      /^Which transport comes first .* depends/,
    );
    expect(headlineOf({ groups: [] })).toBe("Nothing that was measured answers this.");
  });

  it("names places by what tells them apart", () => {
    const [one, other] = ["1", "8"].map((window) =>
      anAdviceGroup([], { does: { mode: "2proc", placement: "same-cpu", window, clock: "tsc" } }),
    );
    if (one === undefined || other === undefined) throw new Error("Two groups were made.");
    expect(groupName(one, [one])).toBe("lab-1, same CPU, two processes");
    expect(groupName(other, [one, other])).toBe("lab-1, same CPU, two processes, window 8");
  });
});
