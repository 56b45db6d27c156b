import { expect, test } from "vitest";
import type { Channel } from "@/api/types";
import { eventsText, outcomeText } from "./channels";

const NOW = new Date("2026-11-25T12:00:00Z");
const CHANNEL = {
  last_success_at: null,
  last_failure_at: null,
  failure: null,
  disabled_because: null,
} as Channel;

test("events are listed in a fixed order", () => {
  expect(eventsText(["machine", "regressed"])).toBe("regressions, machines");
});

test("the status shows the last result", () => {
  expect(outcomeText(CHANNEL, NOW)).toBe("Nothing sent yet");
  const taken = { ...CHANNEL, last_success_at: "2026-11-25T11:00:00Z" };
  expect(outcomeText(taken, NOW)).toMatch(/^Last sent .+ ago$/);
  const failed = { ...taken, last_failure_at: "2026-11-25T11:30:00Z", failure: "status 500" };
  expect(outcomeText(failed, NOW)).toMatch(/^Failed .+ ago: status 500$/);
  // A failure before the last success is past.
  expect(outcomeText({ ...failed, last_success_at: "2026-11-25T11:45:00Z" }, NOW)).toMatch(/^Last sent/);
  expect(outcomeText({ ...failed, disabled_because: "it rejected 5 messages in a row" }, NOW)).toBe(
    "Turned off by the server: it rejected 5 messages in a row",
  );
});
