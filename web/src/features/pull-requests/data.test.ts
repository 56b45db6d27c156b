import { expect, it } from "vitest";
import { aComparison, aPair, aPullRequest } from "@/test/comparisons";
import { numberOf, sidesOf, titleOf } from "./data";

it("takes only numbers of pull requests for one", () => {
  expect(numberOf("42")).toBe(42);
  expect(["abc", "0", "-1", "4.2", "1e3", ""].map(numberOf)).toEqual(Array(6).fill(null));
});

it("compares the newest commit with where the pull request left the main line", () => {
  const summary = aPullRequest();
  expect(sidesOf(summary, "lab-1")).toEqual({
    base: "a".repeat(40),
    head: "b".repeat(40),
    machine: "lab-1",
  });
  expect(sidesOf({ ...summary, merge_base: null }, undefined)).toBeNull();
  expect(sidesOf({ ...summary, merge_base: summary.head }, undefined)).toBeNull();
});

it("says what changed, or what is missing to tell", () => {
  const summary = aPullRequest();
  const slower = aPair({ verdict: "regressed", change: 0.154, change_interval: [0.121, 0.189] });
  expect(titleOf(summary, aComparison([slower]))).toBe(
    "Pull request 42: 1 KiB messages over pipe got 15.4 % slower (12.1 to 18.9) on lab-1; 1 of 1 case changed.",
  );
  expect(titleOf(summary, aComparison([aPair()]))).toContain("Pull request 42: the one case did not change");
  expect(titleOf({ ...summary, merge_base: null }, undefined)).toContain("is not known");
  const missing = aPair({ verdict: "not comparable", base: null, reasons: ["not in the base"] });
  expect(titleOf(summary, aComparison([missing]))).toBe(
    "Pull request 42 cannot be compared: aaaaaaa, where it left the main line, was not measured.",
  );
});
