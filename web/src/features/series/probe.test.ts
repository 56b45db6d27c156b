import { expect, it } from "vitest";
import { aPointDetail, aRepetition } from "@/test/fixtures";
import { probeReadings } from "./probe";

it("adds up what each end did over all repetitions, system calls before counters before what is not known", () => {
  const ends = [
    {
      cpus_seen: [1],
      system_calls: [
        { name: "futex", count: 3 },
        { name: "write", bytes: 8192, count: 2048 },
      ],
      counters: { context_switches: 4 },
      unavailable: { llc_misses: "this processor has no such counter" },
    },
    { cpus_seen: [0], system_calls: [{ name: "read", bytes: 8192, count: 2048 }] },
  ];
  const detail = aPointDetail({ repetitions: [aRepetition({ ends }), aRepetition({ ends })] });
  expect(probeReadings(detail, 1)).toEqual([
    { end: "sender", what: "write of 8 KiB", count: 4096, reason: "" },
    { end: "sender", what: "futex", count: 6, reason: "" },
    { end: "sender", what: "context switches", count: 8, reason: "" },
    { end: "sender", what: "llc misses", count: null, reason: "this processor has no such counter" },
    { end: "receiver", what: "read of 8 KiB", count: 4096, reason: "" },
  ]);
});

it("tells many ends apart, senders first, in the order of their numbers", () => {
  const ends = Array.from({ length: 12 }, () => ({
    cpus_seen: [],
    system_calls: [{ name: "futex", count: 1 }],
  }));
  const named = (senders: number) => {
    const detail = aPointDetail({ repetitions: [aRepetition({ ends })] });
    return probeReadings(detail, senders).map(({ end }) => end);
  };
  expect(named(11)).toEqual([...Array.from({ length: 11 }, (_, index) => `sender ${index + 1}`), "receiver"]);
  expect(named(1).slice(0, 3)).toEqual(["sender", "receiver 1", "receiver 2"]);
  expect(named(1).at(-1)).toBe("receiver 11");
});

it("has nothing to show where nothing watched", () => {
  expect(probeReadings(aPointDetail(), 1)).toEqual([]);
});
