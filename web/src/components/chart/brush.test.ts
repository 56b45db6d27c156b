import { expect, it } from "vitest";
import { brushed, grabbed, stepOfKey } from "./brush";

const EXTENT = [0, 1000] as const;

it("grabs the nearer end, otherwise the window", () => {
  expect([195, 205, 300, 500, 100].map((x) => grabbed(x, [200, 400], 1))).toEqual([
    "from",
    "from",
    "window",
    null,
    null,
  ]);
  expect(grabbed(398, [390, 400], 1)).toBe("to");
});

it("moves the window within the full range, without changing its width", () => {
  expect(brushed([200, 400], "window", 700, EXTENT)).toEqual([800, 1000]);
  expect(brushed([200, 400], "window", -50, EXTENT)).toEqual([150, 350]);
  expect(brushed([200, 400], "window", -250, EXTENT)).toEqual([0, 200]);
});

it("keeps the ends in order and within the full range", () => {
  expect(brushed([200, 400], "from", 500, EXTENT)).toEqual([395, 400]);
  expect(brushed([200, 400], "from", -500, EXTENT)).toEqual([0, 400]);
  expect(brushed([200, 400], "to", 5000, EXTENT)).toEqual([200, 1000]);
});

it("steps by a hundredth of the full range, at least one commit", () => {
  expect(stepOfKey("ArrowRight", EXTENT)).toBe(10);
  expect(stepOfKey("PageDown", [0, 20])).toBe(-10);
  expect(stepOfKey("a", EXTENT)).toBeNull();
});
