import { expect, it } from "vitest";
import { nearestName } from "./nearestName";

const NAMES = ["pipe", "fifo", "ring-futex", "unix-stream"];

it("finds the name that a mistyped word means", () => {
  expect(nearestName("pupe", NAMES)).toBe("pipe");
  expect(nearestName("Ring-Fuetx", NAMES)).toBe("ring-futex");
  expect(nearestName("unixstream", NAMES)).toBe("unix-stream");
});

it("finds nothing for short or unlike words", () => {
  expect(nearestName("pi", NAMES)).toBeNull();
  expect(nearestName("kafka", NAMES)).toBeNull();
});
