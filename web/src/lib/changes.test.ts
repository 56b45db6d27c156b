import { expect, it } from "vitest";
import { changeText } from "./changes";

it("rounds a change to two digits", () => {
  expect([0.2, 0.052, -0.031, 0.0999].map(changeText)).toEqual(["+20 %", "+5.2 %", "\u22123.1 %", "+10 %"]);
});
