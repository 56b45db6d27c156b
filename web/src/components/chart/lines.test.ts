import { expect, it } from "vitest";
import { lineStyle } from "./lines";

it("tells twelve lines apart", () => {
  const looks = Array.from({ length: 12 }, (_, index) => JSON.stringify(lineStyle(index)));
  expect(new Set(looks).size).toBe(12);
});
