import { expect, it } from "vitest";
import { anAgent } from "@/test/fixtures";
import { contactOf, fitnessOf, namesTyped, turnedAwayText, workOf } from "./agents";

const NOW = new Date("2026-11-24T12:00:00Z");

it("keeps apart whether an agent is heard of, is given work, and can measure", () => {
  const agent = anAgent({
    is_online: false,
    last_seen_at: "2026-11-24T09:00:00Z",
    failing: ["the disk is full"],
    suspect: ["it runs on battery"],
  });
  expect(contactOf(agent, NOW)).toEqual({
    word: "offline",
    shape: "empty",
    because: "last heard of 3 h ago",
  });
  expect(workOf(agent).word).toBe("enabled");
  expect(fitnessOf(agent, null)).toEqual({ word: "failing", shape: "cross", because: "the disk is full" });
});

it("tells a machine that finishes what it has from one that has nothing", () => {
  expect(workOf(anAgent({ is_enabled: false, is_draining: true })).word).toBe("draining");
  expect(workOf(anAgent({ is_enabled: false })).word).toBe("disabled");
});

it("doubts a machine for what it says and for what the server holds against it", () => {
  const suspect = fitnessOf(anAgent({ suspect: ["it runs on battery"] }), "it made changes by itself");
  expect(suspect.because).toBe("it runs on battery; it made changes by itself");
  expect(fitnessOf(anAgent(), null).word).toBe("healthy");
});

it("reads labels with commas or blanks between", () => {
  expect(namesTyped(" lab, big-endian  macos,")).toEqual(["lab", "big-endian", "macos"]);
});

it("says what is lost when an agent is turned away, only where it measures", () => {
  expect(turnedAwayText(anAgent({ is_busy: true }))).toContain("is lost");
  expect(turnedAwayText(anAgent())).not.toContain("is lost");
});
