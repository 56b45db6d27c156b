import { expect, it } from "vitest";
import { aJob, anAgent } from "@/test/fixtures";
import {
  askerText,
  beginsOf,
  jobSentence,
  placeText,
  queueOf,
  queueSentence,
  queueText,
  reasonText,
} from "./queue";

const NOW = new Date("2026-11-24T12:00:00Z");
const RUNNING = aJob({ job_id: 9, status: "running", started_at: "2026-11-24T11:58:00Z" });
const begin = (job = aJob(), agents = [anAgent()]) => beginsOf([job], agents, NOW).get(job.job_id)?.text;

it("begins with what runs, goes on as the server estimates, and ends with what nobody knows", () => {
  const at = (job_id: number, starts_at: string | null) => aJob({ job_id, starts_at });
  const queue = queueOf([
    at(1, null),
    at(2, "2026-11-24T12:20:00Z"),
    at(3, "2026-11-24T12:10:00Z"),
    aJob({ job_id: 4, status: "failed", done_at: "2026-11-24T11:00:00Z" }),
    RUNNING,
    at(5, null),
  ]);
  expect(queue.map(({ job_id }) => job_id)).toEqual([9, 3, 2, 1, 5]);
});

it("says when a job begins as the server estimates it", () => {
  expect(begin(aJob({ starts_at: "2026-11-24T12:12:00Z" }))).toBe("in about 12 min");
  expect(begin(aJob({ starts_at: "2026-11-24T12:00:00Z" }))).toBe("at any moment");
  expect(begin(aJob({ starts_at: "2026-11-24T12:00:00Z" }), [anAgent({ is_busy: true })])).toBe(
    "as soon as lab-linux-1 is free",
  );
});

it("knows what the next job waits for, and of those behind it nothing before anybody has measured", () => {
  const begins = beginsOf([aJob({ job_id: 1 }), aJob({ job_id: 2 })], [anAgent({ is_busy: true })], NOW);
  expect(begins.get(1)?.text).toBe("as soon as lab-linux-1 is free");
  expect(begins.get(2)?.text).toBe("not known: nobody has measured this here yet");
});

it("says why a job does not begin at all", () => {
  expect(begin(aJob(), [])).toBe("no machine takes it: lab-linux-1 has no agent");
  expect(begin(aJob({ machine: null, labels: ["big-endian"] }))).toBe(
    "no machine takes it: none has the label big-endian",
  );
  expect(begin(aJob(), [anAgent({ is_enabled: false })])).toBe("not before lab-linux-1 is enabled again");
  expect(begin(aJob(), [anAgent({ is_online: false })])).toBe("not before lab-linux-1 is online again");
  expect(begin(aJob(), [anAgent({ failing: ["no compiler"] })])).toBe("not while lab-linux-1 is failing");
});

it("names what a machine measures and how much waits for it", () => {
  const queue = [RUNNING, aJob({ job_id: 2 }), aJob({ job_id: 3, machine: "lab-mac-2" })];
  expect(queueText(queue, "lab-linux-1")).toBe("measuring ccccccc, 1 queued");
  expect(queueText(queue, "lab-mac-2")).toBe("1 queued");
  expect(queueText(queue, "lab-win-1")).toBeNull();
});

it("says of the whole queue how much runs and waits", () => {
  expect(queueSentence([])).toBe("Nothing is being measured, and nothing waits.");
  expect(queueSentence([aJob()])).toBe("Nothing is being measured, but one waits.");
  expect(queueSentence([RUNNING, aJob(), aJob()])).toBe("One commit is being measured, and two wait.");
});

it("says what became of a job in a sentence", () => {
  const failed = aJob({ status: "failed", failure: "the build failed" });
  expect(jobSentence(failed, undefined)).toBe(
    "ccccccc could not be measured on lab-linux-1: the build failed.",
  );
  expect(jobSentence(aJob(), { kind: "time", text: "in about 4 min" })).toBe(
    "ccccccc waits to be measured on lab-linux-1, and begins in about 4 min.",
  );
  expect(jobSentence(aJob(), { kind: "blocked", text: "no machine takes it" })).toContain(": no machine");
  expect(jobSentence(aJob({ status: "cancelled", machine: null }), undefined)).toBe(
    "The measurement of ccccccc on any machine was cancelled.",
  );
  expect(placeText({ machine: null, labels: ["lab", "macos"] })).toBe(
    "any machine with the labels lab, macos",
  );
});

it("says why and for whom a commit is measured, and shows a reason that it does not know", () => {
  expect(reasonText("repeat")).toContain("once does not tell");
  expect(reasonText("asked-for")).toBe("asked-for");
  expect([null, "account:ada", "schedule:3"].map(askerText)).toEqual(["the server", "ada", "schedule 3"]);
});
