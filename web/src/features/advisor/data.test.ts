import { describe, expect, it } from "vitest";
import { anAdviceGroup, aRankedTransport } from "@/test/comparisons";
import {
  behindText,
  belowTexts,
  groupName,
  headlineOf,
  keyOf,
  medianOf,
  messagesText,
  nameIn,
  placesOf,
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
  it("have a short summary", () => {
    expect(plain(messagesText(BUCKETS))).toBe("40 messages of 0 B to 63 B");
    expect(plain(messagesText([{ from_bytes: 64, to_bytes: 64, count: 1 }]))).toBe("1 message of 64 B");
    expect(messagesText([{ from_bytes: 64, to_bytes: 64, count: 0 }])).toBe("No messages");
    expect([1, 1.5, 0.25].map(timesText)).toEqual(["1x", "1.5x", "1/4x"]);
  });

  it("have a step on the slider for any factor", () => {
    expect([STEPS[0], STEPS.at(-1)]).toEqual([1 / 16, 1024]);
    expect([1, 1.5, 2, 1.9, 5000].map((times) => STEPS[stepOf(times)])).toEqual([1, 1.5, 2, 2, 1024]);
  });

  it("link to the measurement nearest to the median size", () => {
    expect(medianOf(BUCKETS)).toBe(32);
    expect(pointFor(aRankedTransport("pipe", 1), 32)?.message_bytes).toBe(16);
    expect(pointFor(aRankedTransport("pipe", 1), 500)?.message_bytes).toBe(1024);
  });
});

describe("transports", () => {
  const spinning = aRankedTransport("ring", 400, { distinguishing: { receive: "spin", warmup: "50" } });
  const blocking = aRankedTransport("ring", 900, { distinguishing: { receive: "block", warmup: "9" } });
  const pipe = aRankedTransport("pipe", 4000, { distinguishing: { receive: "block", warmup: "9" } });

  it("are named by their differences from others of that name", () => {
    const group = anAdviceGroup([spinning, blocking, pipe]);
    expect(group.ranking.map((line) => nameIn(group, line))).toEqual(["ring, spins", "ring, blocks", "pipe"]);
    expect(new Set(group.ranking.map(keyOf)).size).toBe(3);
  });

  it("show the ratio to the fastest in percent, or as a factor from 2 on", () => {
    const behind = (ratio: number, low: number | null, high: number | null) =>
      Object.values(behindText({ ratio, low, high, is_sure: true })).join(" ");
    expect(behind(1.12, 1.08, 1.17)).toBe("+12 % [8.0, 17]");
    expect(behind(1.01, 0.98, 1.04)).toBe("+1.0 % [−2.0, 4.0]");
    expect(behind(4.04, 3.98, 4.1)).toBe("× 4.0 [4.0, 4.1]");
    expect(behind(4, null, null)).toBe("× 4.0 ");
  });

  it("list shares below the smallest measured size, merged if equal", () => {
    const short = { below_measured_share: 0.3 };
    const one = aRankedTransport("pipe", 1, short);
    const other = aRankedTransport("tcp", 2, short);
    expect(belowTexts(anAdviceGroup([one, other])).map(plain)).toEqual([
      "30 % of messages are smaller than 16 B, the smallest measured size.",
    ]);
    expect(belowTexts(anAdviceGroup([one, aRankedTransport("tcp", 2)])).map(plain)).toEqual([
      "30 % of messages are smaller than 16 B, the smallest measured size for pipe.",
    ]);
  });
});

describe("the headline", () => {
  const of = (slug: string, machine: string) => anAdviceGroup([aRankedTransport(slug, 1)], { machine });

  it("is the answer of the only place, or the transport that is fastest in most", () => {
    expect(headlineOf([of("pipe", "lab-1")])).toBe("Pipe: median round trip 4.00 µs.");
    const [pipe, tcp] = [of("pipe", "lab-1"), of("tcp", "lab-2")];
    expect(headlineOf([pipe, { ...pipe, machine: "lab-2" }])).toMatch(/is fastest on both machines\.$/);
    expect(headlineOf([tcp, pipe, { ...pipe, machine: "lab-3" }])).toBe(
      `${pipe.ranking[0]?.transport.title} is fastest on two of three machines.`,
    );
    expect(headlineOf([])).toBe("No measurements for these messages.");
  });

  it("separates groups that differ from the largest only in methodology", () => {
    const usual = anAdviceGroup([aRankedTransport("pipe", 1), aRankedTransport("tcp", 2)]);
    const other = anAdviceGroup([aRankedTransport("pipe", 1)], {
      case: { ...usual.case, on_full: "wait", warmup: "3" },
    });
    const elsewhere = { ...other, machine: "lab-2" };
    expect(placesOf([other, usual, elsewhere])).toEqual({ places: [usual, elsewhere], others: [other] });
  });

  it("names groups by their differences", () => {
    const [one, other] = ["1", "8"].map((window) =>
      anAdviceGroup([], { case: { mode: "2proc", placement: "same-cpu", window, clock: "tsc" } }),
    );
    if (one === undefined || other === undefined) throw new Error("Two groups were made.");
    expect(groupName(one, [one])).toBe("lab-1, same CPU, two processes");
    expect(groupName(other, [one, other])).toBe("lab-1, same CPU, two processes, window 8");
  });
});
