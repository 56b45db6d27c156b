import { describe, expect, it } from "vitest";
import { rowsOfMarkers, spread } from "./labels";

describe("spread", () => {
  it("leaves labels alone that have room", () => {
    expect(spread([10, 50], 13, 0, 100)).toEqual([10, 50]);
  });
  it("moves the later of two apart and keeps their order", () => {
    expect(spread([50, 50, 10], 13, 0, 100)).toEqual([50, 63, 10]);
  });
  it("pushes back from the end", () => {
    expect(spread([95, 99], 13, 0, 100)).toEqual([87, 100]);
  });
});

describe("rowsOfMarkers", () => {
  it("keeps marks that are far apart in one row", () => {
    expect(rowsOfMarkers([0, 200, 400], [80, 80, 80])).toEqual([0, 0, 0]);
  });
  it("avoids crossing names with marks", () => {
    expect(rowsOfMarkers([0, 10, 20, 300], [80, 80, 80, 80])).toEqual([2, 1, 0, 0]);
  });
});
