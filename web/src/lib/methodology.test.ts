import { describe, expect, it } from "vitest";
import { aSeries } from "@/test/fixtures";
import { agreement, distinguishing } from "./methodology";

const { methodology } = aSeries();
const ring = { ...methodology, storage: "cleared", wake: "if-asleep" };

describe("distinguishing", () => {
  it("names what others of the same case have not, and leaves the usual to them", () => {
    const drops = { ...ring, on_full: "drop", send: "non-blocking" };
    const always = { ...ring, wake: "always" };
    const warm = { ...ring, storage: "warm" };
    const all = [ring, drops, always, warm];
    expect(all.map((method) => distinguishing(method, all))).toEqual([
      [],
      ["drops when full"],
      ["wakes always"],
      ["warm memory"],
    ]);
    expect(distinguishing(drops, [drops])).toEqual([]);
  });
  it("leaves no two that differ without a word", () => {
    expect(distinguishing(ring, [{ ...methodology, storage: "cleared" }])).toEqual(["wakes if asleep"]);
    expect(distinguishing(methodology, [ring])).toEqual(["no wake-ups", "touched-after-start memory"]);
    expect(distinguishing({ ...ring, window: 256 }, [ring])).toEqual(["256 in flight"]);
    expect(distinguishing({ ...ring, send: "non-blocking" }, [ring])).toEqual(["non-blocking send"]);
    expect(distinguishing(ring, [{ ...ring, window: 256 }])).toEqual(["1 in flight"]);
  });
  it("tells batch and warm-up only among those with as many messages in flight", () => {
    const many = { ...ring, window: 256, batch: 256, warmup: 40 };
    expect([ring, many].map((method) => distinguishing(method, [ring, many]))).toEqual([
      ["1 in flight"],
      ["256 in flight"],
    ]);
    expect(distinguishing(many, [{ ...many, batch: 64 }, ring])).toEqual([
      "256 in flight",
      "256 timed together",
    ]);
  });
  it("does not tell a probe, which is told wherever there is one", () => {
    expect(distinguishing({ ...ring, probe: "sched" }, [ring])).toEqual([]);
  });
});

it("agreement is the larger the more is the same", () => {
  const other = { ...ring, storage: "warm" };
  expect(agreement(ring, ring)).toBeGreaterThan(agreement(ring, other));
  expect(agreement(ring, other)).toBeGreaterThan(agreement(ring, { ...other, on_full: "drop" }));
});
