import { expect, test } from "vitest";
import type { Regression } from "@/api/types";
import { aRegression } from "@/test/fixtures";
import { changeText, headlineOf } from "./regressions";

const REGRESSION = aRegression();

const OPEN = { shown: "open", direction: "regressed", isWhole: true } as const;

test("the headline says how many are open, and what the largest is", () => {
  const acknowledged: Regression = { ...REGRESSION, state: "acknowledged", worst_change: 0.05 };
  expect(headlineOf([], OPEN)).toBe("No open regression");
  expect(headlineOf([REGRESSION], OPEN)).toBe("1 regression nobody has looked at yet; the largest by +20 %");
  expect(headlineOf([REGRESSION, acknowledged], OPEN)).toBe(
    "2 regressions are open, and nobody has looked at 1 of them; the largest by +20 %",
  );
  expect(headlineOf([acknowledged], OPEN)).toBe(
    "1 regression is open and looked after; the largest by +5.0 %",
  );
  expect(headlineOf([], { ...OPEN, shown: "machine", direction: "improved" })).toBe(
    "No machine made an improvement by itself",
  );
});

test("a change has two digits", () => {
  expect([0.2, 0.052, -0.031, 0.0999].map(changeText)).toEqual(["+20 %", "+5.2 %", "\u22123.1 %", "+10 %"]);
});
