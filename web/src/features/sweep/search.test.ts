import { expect, it } from "vitest";
import { parseSweepSearch, parseTopologySearch } from "./search";

it("keeps what is understood of a sweep's address, and leaves out what is not", () => {
  const sha = "0a".repeat(20);
  expect(
    parseSweepSearch({
      machine: "lab-1",
      show: "p99",
      commit: sha,
      hidden: "pipe.Not one",
      pair: "pipe.tcp",
    }),
  ).toEqual({ machine: "lab-1", show: "p99", commit: sha, hidden: "pipe", pair: "pipe.tcp" });
  expect(parseSweepSearch({ show: "p98", commit: "main", hidden: 7, pair: "pipe" })).toEqual({});
});

it("keeps what is understood of a topology's address, and leaves out what is not", () => {
  expect(parseTopologySearch({ time: "operation", mode: "2thread" })).toEqual({
    time: "operation",
    mode: "2thread",
  });
  expect(parseTopologySearch({ time: "attempt", hidden: "" })).toEqual({});
});
