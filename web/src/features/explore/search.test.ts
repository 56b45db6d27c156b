import { expect, it } from "vitest";
import { parseExploreSearch, pickedOf } from "./search";

it("takes the search as it was typed, also where the router read something else into it", () => {
  expect(parseExploreSearch({ q: " transport:pipe  p99 " })).toEqual({ q: "transport:pipe  p99" });
  expect(parseExploreSearch({ q: 64 })).toEqual({ q: "64" });
  expect(parseExploreSearch({ q: true })).toEqual({ q: "true" });
  expect(parseExploreSearch({ q: ["a"] })).toEqual({});
  expect(parseExploreSearch({ q: "" })).toEqual({});
});

it("takes picked series, each once", () => {
  expect(pickedOf("12,15,12")).toEqual([12, 15]);
  expect(parseExploreSearch({ picked: 12 })).toEqual({ picked: "12" });
  expect(parseExploreSearch({ picked: "12,,x", after: "no cursor!" })).toEqual({});
});
