import { expect, it } from "vitest";
import { lineStyle } from "./lines";

it("distinguishes sixteen lines", () => {
  const looks = Array.from({ length: 16 }, (_, index) => JSON.stringify(lineStyle(index)));
  expect(new Set(looks).size).toBe(16);
});
