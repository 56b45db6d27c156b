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

test("what a channel is told of is read in one order", () => {
  expect(eventsText(["machine", "regressed"])).toBe("regressions, machines");
});

test("how it went last is one sentence", () => {
  expect(outcomeText(CHANNEL, NOW)).toBe("Nothing was sent yet.");
  const taken = { ...CHANNEL, last_success_at: "2026-11-25T11:00:00Z" };
  expect(outcomeText(taken, NOW)).toMatch(/^The last message was taken .+ ago\.$/);
  const failed = { ...taken, last_failure_at: "2026-11-25T11:30:00Z", failure: "it answered 500" };
  expect(outcomeText(failed, NOW)).toMatch(/ago a message was not taken: it answered 500\.$/);
  // A failure before the last success is past.
  expect(outcomeText({ ...failed, last_success_at: "2026-11-25T11:45:00Z" }, NOW)).toMatch(
    /^The last message/,
  );
  expect(outcomeText({ ...failed, disabled_because: "it refused 5 times in a row" }, NOW)).toBe(
    "The server turned it off: it refused 5 times in a row.",
  );
});
