import { expect, it } from "vitest";
import { aJob, anAgent } from "@/test/fixtures";
import {
  beginsOf,
  jobSentence,
  placeText,
  queueOf,
  queueSentence,
  queueText,
  reasonText,
  requesterText,
} from "./queue";

const NOW = new Date("2026-11-24T12:00:00Z");
const RUNNING = aJob({ job_id: 9, status: "running", started_at: "2026-11-24T11:58:00Z" });
const begin = (job = aJob(), agents = [anAgent()]) => beginsOf([job], agents, NOW).get(job.job_id)?.text;

it("lists running jobs, then queued ones by estimated start", () => {
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

it("shows the estimated start", () => {
  expect(begin(aJob({ starts_at: "2026-11-24T12:12:00Z" }))).toBe("in about 12 min");
  expect(begin(aJob({ starts_at: "2026-11-24T12:00:00Z" }))).toBe("soon");
  expect(begin(aJob({ starts_at: "2026-11-24T12:00:00Z" }), [anAgent({ is_busy: true })])).toBe(
    "when lab-linux-1 is free",
  );
});

it("has no estimate for later jobs without earlier results", () => {
  const begins = beginsOf([aJob({ job_id: 1 }), aJob({ job_id: 2 })], [anAgent({ is_busy: true })], NOW);
  expect(begins.get(1)?.text).toBe("when lab-linux-1 is free");
  expect(begins.get(2)?.text).toBe("unknown: no earlier job");
});

it("says why a job is blocked", () => {
  expect(begin(aJob(), [])).toBe("no agent on lab-linux-1");
  expect(begin(aJob({ machine: null, labels: ["big-endian"] }))).toBe("no agent has the label big-endian");
  expect(begin(aJob(), [anAgent({ is_enabled: false })])).toBe("waiting for lab-linux-1 to be enabled");
  expect(begin(aJob(), [anAgent({ is_online: false })])).toBe("waiting for lab-linux-1 to come online");
  expect(begin(aJob(), [anAgent({ failing: ["no compiler"] })])).toBe("waiting for lab-linux-1 to recover");
});

it("counts the jobs of a machine", () => {
  const queue = [RUNNING, aJob({ job_id: 2 }), aJob({ job_id: 3, machine: "lab-mac-2" })];
  expect(queueText(queue, "lab-linux-1")).toBe("measuring ccccccc, 1 queued");
  expect(queueText(queue, "lab-mac-2")).toBe("1 queued");
  expect(queueText(queue, "lab-win-1")).toBeNull();
});

it("counts the whole queue", () => {
  expect(queueSentence([])).toBe("No jobs");
  expect(queueSentence([aJob()])).toBe("0 running, 1 queued");
  expect(queueSentence([RUNNING, aJob(), aJob()])).toBe("1 running, 2 queued");
});

it("describes the status of a job", () => {
  const failed = aJob({ status: "failed", failure: "the build failed" });
  expect(jobSentence(failed, undefined)).toBe("ccccccc on lab-linux-1: failed, the build failed");
  expect(jobSentence(aJob(), { kind: "time", text: "in about 4 min" })).toBe(
    "ccccccc on lab-linux-1: queued, starts in about 4 min",
  );
  expect(jobSentence(aJob(), { kind: "blocked", text: "no agents" })).toContain(": blocked, no agents");
  expect(jobSentence(aJob({ status: "cancelled", machine: null }), undefined)).toBe(
    "ccccccc on any machine: cancelled",
  );
  expect(placeText({ machine: null, labels: ["lab", "macos"] })).toBe(
    "any machine with the labels lab, macos",
  );
});

it("names reason and requester, and shows unknown reasons unchanged", () => {
  expect(reasonText("repeat")).toBe("confirmation run");
  expect(reasonText("asked-for")).toBe("asked-for");
  expect([null, "account:ada", "schedule:3"].map(requesterText)).toEqual(["the server", "ada", "schedule 3"]);
});
