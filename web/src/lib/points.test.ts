import { expect, it } from "vitest";
import { aPoint, aSeries } from "@/test/fixtures";
import { expectedOf, lossMark, lossText } from "./points";

it("says of a loss what was lost, at every receiver", () => {
  const { case: kase } = aSeries({ case: { peers: 4 } });
  const point = (delivered: number) => aPoint({ attempted: 500, delivered, lossy: true });
  expect(expectedOf(point(0), kase)).toBe(2000);
  expect(lossText(point(1234), kase)).toBe("1,234 of 2,000 messages arrived");
  expect(lossText(point(2000), kase)).toBe("messages arrived altered or out of order");
  expect(lossMark(point(1234), kase)).toBe("lossy: 1,234 of 2,000");
  expect(lossMark(point(2000), kase)).toBe("lossy: altered or out of order");
});
