import { expect, it } from "vitest";
import { aComparison, aPair, aPullRequest } from "@/test/comparisons";
import { titleOf } from "./data";

it("has a headline with the change or the problem", () => {
  const summary = aPullRequest();
  const slower = aPair({ verdict: "regressed", change: 0.154, change_interval: [0.121, 0.189] });
  expect(titleOf(summary, aComparison([slower]))).toBe(
    "Pull request 42: 1 KiB messages over pipe got 15.4 % slower (95 % CI 12.1 to 18.9) on lab-1; 1 of 1 case changed.",
  );
  expect(titleOf(summary, aComparison([aPair()]))).toContain("Pull request 42: No change in 1 case");
  expect(titleOf({ ...summary, merge_base: null }, undefined)).toContain("no measured merge base");
  const missing = aPair({ verdict: "not comparable", base: null, reasons: ["not in the base"] });
  expect(titleOf(summary, aComparison([missing]))).toBe(
    "Pull request 42: not comparable, merge base aaaaaaa not measured",
  );
});
