import { expect, it } from "vitest";
import { parseFrameSearch } from "./useFrame";

it("keeps valid names of charts", () => {
  expect(parseFrameSearch({ tables: "sizes.Trend!.trend", embed: "trend" })).toEqual({
    tables: "sizes.trend",
    embed: "trend",
  });
  expect(parseFrameSearch({ tables: "<b>", embed: 7 })).toEqual({});
});
