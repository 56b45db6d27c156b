import { describe, expect, it, test } from "vitest";
import { formatAgo, formatDuration } from "./time";

describe("formatAgo", () => {
  const now = new Date("2026-11-21T12:00:00Z");
  test.each([
    ["2026-11-21T12:00:20Z", "just now"],
    ["2026-11-21T11:59:30Z", "just now"],
    ["2026-11-21T11:58:00Z", "2 min ago"],
    ["2026-11-21T09:30:00Z", "2 h ago"],
    ["2026-11-20T11:00:00Z", "yesterday"],
    ["2026-11-12T11:00:00Z", "9 days ago"],
  ])("%s reads %s", (moment, text) => {
    expect(formatAgo(moment, now)).toBe(text);
  });
  it("shows the day for old times", () => {
    expect(formatAgo("2026-01-05T12:00:00Z", now)).toBe("5 Jan 2026");
  });
});

describe("formatDuration", () => {
  test.each([
    ["2026-11-21T12:00:41Z", "41 s"],
    ["2026-11-21T12:03:05Z", "3 min 5 s"],
    ["2026-11-21T14:20:00Z", "2 h 20 min"],
    ["2026-11-21T11:00:00Z", "0 s"],
  ])("from noon to %s is %s", (to, text) => {
    expect(formatDuration("2026-11-21T12:00:00Z", to)).toBe(text);
  });
});
