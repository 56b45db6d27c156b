import { expect, it } from "vitest";
import { nextBlock } from "./blocks";

const IDS = Array.from({ length: 200 }, (_, index) => index);

it("loads the rows in sight and next to them", () => {
  expect(nextBlock(IDS, 50, 60, [])).toEqual(IDS.slice(25, 85));
});

it("loads nothing while all rows in sight are loaded", () => {
  expect(nextBlock(IDS, 50, 60, [IDS.slice(40, 62)])).toEqual([]);
});

it("loads each series once, in any order of the rows", () => {
  const block = nextBlock(IDS.toReversed(), 0, 10, [[199, 198, 150]]);
  expect(block).not.toContain(199);
  expect(block.slice(0, 2)).toEqual([197, 196]);
});
