import { expect, it } from "vitest";
import { parseSeriesSearch } from "./search";

it("keeps what it knows and leaves out the rest", () => {
  expect(
    parseSeriesSearch({ show: "p99", axis: "moon", run: "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b" }),
  ).toEqual({ show: "p99", run: "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b" });
});
