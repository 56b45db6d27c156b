import { expect, it } from "vitest";
import { environmentDifference } from "./environments";

it("shows the first changed fact and the number of others", () => {
  const before = { "os.kernel": "6.12.4", "cpu.model": "x" };
  expect(environmentDifference(before, { ...before, "os.kernel": "6.12.9" })).toBe(
    "os.kernel: 6.12.4 → 6.12.9",
  );
  expect(environmentDifference(before, { "os.kernel": "6.12.9" })).toBe("cpu.model: x → absent, and 1 more");
  expect(environmentDifference(undefined, before)).toBe("environment changed");
});
