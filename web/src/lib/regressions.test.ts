import { expect, test } from "vitest";
import type { Regression } from "@/api/types";
import { aRegression } from "@/test/fixtures";
import { headlineOf } from "./regressions";

const REGRESSION = aRegression();

const OPEN = { shown: "open", direction: "regressed", isWhole: true } as const;

test("the headline counts open regressions and names the worst", () => {
  const acknowledged: Regression = { ...REGRESSION, state: "acknowledged", worst_change: 0.05 };
  expect(headlineOf([], OPEN)).toBe("No open regressions");
  expect(headlineOf([REGRESSION], OPEN)).toBe("1 untriaged regression, worst +20 %");
  expect(headlineOf([REGRESSION, acknowledged], OPEN)).toBe("2 open regressions, 1 untriaged, worst +20 %");
  expect(headlineOf([acknowledged], OPEN)).toBe("1 open regression, worst +5.0 %");
  expect(headlineOf([], { ...OPEN, shown: "machine", direction: "improved" })).toBe(
    "No improvements caused by machines",
  );
});
