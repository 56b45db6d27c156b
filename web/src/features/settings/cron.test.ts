import { expect, it } from "vitest";
import { cronText } from "./cron";

it("reads a schedule as words, in the zone that it is in", () => {
  expect(cronText("30 2 * * *")).toBe("At 02:30 UTC, every day");
  expect(cronText("0 4 * * 1-5")).toBe("At 04:00 UTC, Monday through Friday");
  expect(cronText("*/15 * * * *")).not.toContain("UTC");
});

it("says nothing of what is no time", () => {
  expect(cronText("30 2 * *")).toBeNull();
  expect(cronText("0 30 2 * * *")).toBeNull();
  expect(cronText("61 2 * * *")).toBeNull();
  expect(cronText("")).toBeNull();
});
