import { expect, it } from "vitest";
import { aPoint, aSeries, latency } from "@/test/fixtures";
import { acceptedText, dividedBy, expectedOf, isWhole, lossMark, lossText, nsPerMessage } from "./points";

it("counts lost messages over all receivers", () => {
  const { case: kase } = aSeries({ case: { peers: 4 } });
  const point = (delivered: number) => aPoint({ attempted: 500, delivered, lossy: true });
  expect(expectedOf(point(0), kase)).toBe(2000);
  expect(lossText(point(1234), kase)).toBe("1,234 of 2,000 messages arrived");
  expect(lossText(point(2000), kase)).toBe("messages arrived altered or out of order");
  expect(lossMark(point(1234), kase)).toBe("lossy: 1,234 of 2,000");
  expect(lossMark(point(2000), kase)).toBe("lossy: altered or out of order");
});

it("distinguishes rejected from lost messages", () => {
  const text = (accepted: number, delivered: number, peers: number) =>
    lossText(
      aPoint({ attempted: 100_000, accepted, delivered, lossy: true }),
      aSeries({ case: { peers } }).case,
    );
  expect(text(16_817, 67_268, 4)).toBe(
    "accepted 16,817 of 100,000 attempts (17\u00a0%); all arrived at 4 receivers",
  );
  expect(text(16_817, 67_250, 4)).toBe(
    "accepted 16,817 of 100,000 attempts (17\u00a0%); 67,250 of 67,268 arrived at 4 receivers",
  );
  expect(text(16_817, 16_817, 1)).toBe("accepted 16,817 of 100,000 attempts (17\u00a0%); all arrived");
});

it("never rounds a share to 0 or 100 %", () => {
  const share = (accepted: number) => acceptedText(aPoint({ attempted: 100_000, accepted })).split("(")[1];
  expect([1, 120, 9_876, 16_817, 98_765, 99_500, 99_999].map(share)).toEqual([
    "<\u00a00.01\u00a0%)",
    "0.12\u00a0%)",
    "9.9\u00a0%)",
    "17\u00a0%)",
    "99\u00a0%)",
    "99.5\u00a0%)",
    ">\u00a099.9\u00a0%)",
  ]);
});

it("divides times by messages, or by delivered messages if some were lost", () => {
  const { case: kase } = aSeries({ case: { messages: 100_000, peers: 4 } });
  const whole = aPoint({ latency_ns: latency(22_104_870), count: 3 });
  expect(nsPerMessage(whole, kase)).toBeCloseTo(221.0487);
  expect(nsPerMessage(whole, aSeries().case)).toBeNull();
  // Three operations, 4 x 50,000 receipts: 16,666.7 of each operation at each receiver.
  const lossy = aPoint({ ...whole, lossy: true, attempted: 300_000, accepted: 50_000, delivered: 200_000 });
  expect(nsPerMessage(lossy, kase)).toBeCloseTo(22_104_870 / 16_666.667, 2);
  expect(nsPerMessage({ ...lossy, delivered: 0 }, kase)).toBeNull();
  expect([whole, lossy].map(dividedBy)).toEqual(["per message", "per delivered message"]);
});

it("counts a delivery as complete only without any loss", () => {
  const whole = { delivered: 9, lost: 0, duplicated: 0, out_of_order: 0, torn: 0 };
  expect(isWhole(whole)).toBe(true);
  for (const kind of ["lost", "duplicated", "out_of_order", "torn"])
    expect(isWhole({ ...whole, [kind]: 1 })).toBe(false);
});
