import { describe, expect, it } from "vitest";
import { rowsOfMarkers, spread } from "./labels";

describe("spread", () => {
  it("leaves labels alone that have room", () => {
    expect(spread([10, 50], 13, 0, 100)).toEqual([10, 50]);
  });
  it("moves labels apart around their middle and keeps their order", () => {
    expect(spread([50, 50, 10], 13, 0, 100)).toEqual([43.5, 56.5, 10]);
  });
  it("has no overlaps with twenty labels, within the bounds", () => {
    const wanted = Array.from({ length: 20 }, (_, index) => 100 + (index % 7));
    const placed = spread(wanted, 13, 0, 260).sort((a, b) => a - b);
    const gaps = placed.slice(1).map((position, index) => position - (placed[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(13);
    expect([placed[0], placed.at(-1)]).toEqual([0, 247]);
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
