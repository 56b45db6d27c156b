import { expect, it } from "vitest";
import { parseOverviewSearch } from "./search";

it("keeps a slice and leaves out what is none", () => {
  expect(
    parseOverviewSearch({ placement: "cross-cpu", bytes: 64, mode: "<b>", page: 2, parameters: "rate-1000" }),
  ).toEqual({
    placement: "cross-cpu",
    bytes: 64,
    parameters: "rate-1000",
  });
});
