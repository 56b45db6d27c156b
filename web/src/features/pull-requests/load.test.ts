import { expect, it } from "vitest";
import { aPullRequest } from "@/test/comparisons";
import { comparisonQuery, numberOf } from "./load";

it("accepts only numbers of pull requests", () => {
  expect(numberOf("42")).toBe(42);
  expect(["abc", "0", "-1", "4.2", "1e3", ""].map(numberOf)).toEqual(Array(6).fill(null));
});

it("compares the newest commit with the merge base, if there is one", () => {
  const summary = aPullRequest();
  const { queryKey, enabled } = comparisonQuery("libfoo", summary);
  expect(enabled).toBe(true);
  expect(queryKey[1]).toMatchObject({ query: { base: "a".repeat(40), head: "b".repeat(40) } });
  expect(comparisonQuery("libfoo", { ...summary, merge_base: null }).enabled).toBe(false);
  expect(comparisonQuery("libfoo", { ...summary, merge_base: summary.head }).enabled).toBe(false);
});
