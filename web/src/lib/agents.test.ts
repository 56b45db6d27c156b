import { expect, it } from "vitest";
import { anAgent } from "@/test/fixtures";
import { contactOf, fitnessOf, namesTyped, removalText, workOf } from "./agents";

const NOW = new Date("2026-11-24T12:00:00Z");

it("reports contact, work and health separately", () => {
  const agent = anAgent({
    is_online: false,
    last_seen_at: "2026-11-24T09:00:00Z",
    failing: ["the disk is full"],
    suspect: ["it runs on battery"],
  });
  expect(contactOf(agent, NOW)).toEqual({
    word: "offline",
    shape: "empty",
    because: "last seen 3 h ago",
  });
  expect(workOf(agent).word).toBe("enabled");
  expect(fitnessOf(agent, null)).toEqual({ word: "failing", shape: "cross", because: "the disk is full" });
});

it("distinguishes draining from disabled", () => {
  expect(workOf(anAgent({ is_enabled: false, is_draining: true })).word).toBe("draining");
  expect(workOf(anAgent({ is_enabled: false })).word).toBe("disabled");
});

it("combines the reasons of the agent and the server", () => {
  const suspect = fitnessOf(
    anAgent({ suspect: ["it runs on battery"] }),
    "results shifted without a code change",
  );
  expect(suspect.because).toBe("it runs on battery; results shifted without a code change");
  expect(fitnessOf(anAgent(), null).word).toBe("healthy");
});

it("splits labels at commas and blanks", () => {
  expect(namesTyped(" lab, big-endian  macos,")).toEqual(["lab", "big-endian", "macos"]);
});

it("warns of a lost measurement only if the agent is busy", () => {
  expect(removalText(anAgent({ is_busy: true }))).toContain("is lost");
  expect(removalText(anAgent())).not.toContain("is lost");
});
