import { describe, expect, it } from "vitest";
import { aSeries } from "@/test/fixtures";
import {
  byParameters,
  caseName,
  endName,
  headlineName,
  parameterName,
  parameterNames,
  parametersKey,
  parametersOf,
  sizeName,
  trafficName,
  USUAL_PARAMETERS,
} from "./cases";
import { ascending, distinct } from "./collections";

type Change = NonNullable<Parameters<typeof aSeries>[0]>["case"];
const kase = (change: Change = {}) => aSeries({ case: change }).case;

/** Cases that differ from the first in one parameter each, and in sizes that round to the same text. */
const CASES = [
  kase(),
  kase({ total_bytes: 1_048_576 }),
  kase({ peers: 4 }),
  kase({ peers: 4, senders: 4 }),
  kase({ senders: 4 }),
  kase({ senders: 10 }),
  kase({ messages: 100_000 }),
  kase({ messages: 100_000, peers: 4 }),
  kase({ messages: 20_000 }),
  kase({ size_profile: "chromium-ipc" }),
  kase({ buffer_bytes: 4096 }),
  kase({ buffer_bytes: 65_536 }),
  kase({ buffer_bytes: 65_537 }),
  kase({ rate_per_second: 1000 }),
  kase({ rate_per_second: 10_000 }),
  kase({ buffer_bytes: 65_536, rate_per_second: 1000 }),
  kase({ variant: "v22-11-0" }),
  kase({ variant: "v24-1-0" }),
];

describe("parameters", () => {
  it("are named if they are set", () => {
    const everything = kase({
      total_bytes: 16_777_216,
      messages: 100_000,
      senders: 4,
      peers: 8,
      size_profile: "chromium-ipc",
      buffer_bytes: 65_536,
      rate_per_second: 1000,
      variant: "lts",
    });
    expect(parameterNames(everything)).toEqual([
      "16 MiB total",
      "100,000 messages",
      "4 senders",
      "8 receivers",
      "sizes from chromium-ipc",
      "64 KiB buffer",
      "1,000/s",
      "lts",
    ]);
    expect(parameterNames(kase())).toEqual([]);
    expect(parametersOf(kase())).toEqual(USUAL_PARAMETERS);
  });
  it("count handles or transfers instead of bytes", () => {
    const handles = { scenario: "handle-passing", message_bytes: 1 };
    expect(parameterNames(kase({ ...handles, total_bytes: 100 }))).toEqual(["100 handles"]);
    expect(parameterNames(kase({ ...handles, total_bytes: 1 }))).toEqual(["1 handle"]);
    expect(parameterNames(kase({ scenario: "stream", total_bytes: 1024 }))).toEqual(["one per transfer"]);
  });
  it("name the ends unless there is one of each", () => {
    expect(parameterNames(kase({ senders: 4, peers: 4 }))).toEqual(["4 senders", "4 receivers"]);
    expect(parameterNames(kase({ senders: 4 }))).toEqual(["4 senders", "1 receiver"]);
    expect(parameterNames(kase({ peers: 4 }))).toEqual(["4 receivers"]);
    expect(parameterNames(kase({ messages: 9 }))).toEqual(["9 messages", "1 receiver"]);
    expect(parametersOf(kase({ senders: 1 }))).toEqual(USUAL_PARAMETERS);
    expect(caseName(kase({ peers: 4 }))).toBe("round trip 1 KiB, one process each, same CPU, 4 receivers");
  });
  it("distinguish any two cases, in names and addresses", () => {
    expect(distinct(CASES.map(caseName))).toHaveLength(CASES.length);
    const keys = CASES.map((entry) => parametersKey(parametersOf(entry)));
    expect(distinct(keys)).toHaveLength(CASES.length);
    expect(keys[0]).toBe("");
    expect(keys.at(-1)).toBe("variant-v24-1-0");
    expect(keys).toContain("buffer-65536.rate-1000");
  });
  it("sort by number, unset ones first", () => {
    const shuffled = CASES.map(parametersOf).toSorted((a, b) =>
      ascending(parametersKey(b), parametersKey(a)),
    );
    expect(shuffled.toSorted(byParameters).map(parametersKey)).toEqual([
      "",
      "variant-v22-11-0",
      "variant-v24-1-0",
      "rate-1000",
      "rate-10000",
      "buffer-4096",
      "buffer-65536",
      "buffer-65536.rate-1000",
      "buffer-65537",
      "sizes-chromium-ipc",
      "receivers-4",
      "senders-4",
      "senders-4.receivers-4",
      "senders-10",
      "messages-20000",
      "messages-100000",
      "messages-100000.receivers-4",
      "total-1048576",
    ]);
  });
});

describe("names", () => {
  const drawn = { message_bytes: 16_063, size_profile: "chromium-ipc" };
  it("show the largest size of a size profile", () => {
    expect(sizeName(kase())).toBe("1 KiB");
    expect(sizeName(kase(drawn))).toBe("up to 15.7 KiB");
    expect(trafficName(kase())).toBe("1 KiB messages");
    expect(trafficName(kase({ scenario: "stream" }))).toBe("1 KiB writes");
    expect(trafficName(kase(drawn))).toBe("Messages of up to 15.7 KiB");
  });
  it("begin a headline with the number of messages if it is set", () => {
    expect(headlineName(kase({ message_bytes: 64, messages: 100_000, senders: 4, peers: 4 }))).toBe(
      "100,000 messages of 64 B, 4 senders, 4 receivers",
    );
    expect(headlineName(kase({ buffer_bytes: 65_536 }))).toBe("1 KiB messages, 64 KiB buffer");
  });
  it("number ends if there are several of a kind", () => {
    expect([0, 1].map((place) => endName(place, 2, 1))).toEqual(["sender", "receiver"]);
    expect([0, 1, 2].map((place) => endName(place, 3, 2))).toEqual(["sender 1", "sender 2", "receiver"]);
    expect([0, 1, 2].map((place) => endName(place, 3, 1))).toEqual(["sender", "receiver 1", "receiver 2"]);
  });
});

it.each([
  ["total_bytes", "1 x message_bytes", "one message per transfer"],
  ["total_bytes", "1048576", "1 MiB total"],
  ["buffer_bytes", "65536", "64 KiB buffer"],
  ["senders", "1 x peers", "as many senders as receivers"],
  ["rate_per_second", "10000", "10,000/s"],
  ["another_thing", "on", "another thing on"],
])("%s of %s reads %s", (name, value, text) => {
  expect(parameterName(name, value)).toBe(text);
});
