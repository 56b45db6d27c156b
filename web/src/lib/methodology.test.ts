import { describe, expect, it } from "vitest";
import { aSeries } from "@/test/fixtures";
import { agreement, distinguishing } from "./methodology";

const { methodology } = aSeries();
const ring = { ...methodology, storage: "cleared", wake: "if-asleep" };

describe("distinguishing", () => {
  it("names differences, but not the defaults", () => {
    const drops = { ...ring, on_full: "drop", send: "non-blocking" };
    const always = { ...ring, wake: "always" };
    const warm = { ...ring, storage: "warm" };
    const all = [ring, drops, always, warm];
    expect(all.map((method) => distinguishing(method, all))).toEqual([
      [],
      ["drops when full"],
      ["always wakes"],
      ["warm memory"],
    ]);
    expect(distinguishing(drops, [drops])).toEqual([]);
  });
  it("names at least one of two that differ", () => {
    expect(distinguishing(ring, [{ ...methodology, storage: "cleared" }])).toEqual(["wakes if asleep"]);
    expect(distinguishing(methodology, [ring])).toEqual(["no wake-ups", "touched-after-start memory"]);
    expect(distinguishing({ ...ring, window: 256 }, [ring])).toEqual(["window 256"]);
    expect(distinguishing({ ...ring, send: "non-blocking" }, [ring])).toEqual(["non-blocking send"]);
    expect(distinguishing(ring, [{ ...ring, window: 256 }])).toEqual(["window 1"]);
  });
  it("names batch and warm-up only for equal windows", () => {
    const many = { ...ring, window: 256, batch: 256, warmup: 40 };
    expect([ring, many].map((method) => distinguishing(method, [ring, many]))).toEqual([
      ["window 1"],
      ["window 256"],
    ]);
    expect(distinguishing(many, [{ ...many, batch: 64 }, ring])).toEqual(["window 256", "batch 256"]);
  });
  it("leaves out the probe, which is always shown", () => {
    expect(distinguishing({ ...ring, probe: "sched" }, [ring])).toEqual([]);
  });
});

it("agreement grows with the number of equal traits", () => {
  const other = { ...ring, storage: "warm" };
  expect(agreement(ring, ring)).toBeGreaterThan(agreement(ring, other));
  expect(agreement(ring, other)).toBeGreaterThan(agreement(ring, { ...other, on_full: "drop" }));
});
